/**
 * Charges clients for requests. The units are consumed first, so that limits hold for concurrent requests, and given back
 * if the request gets no response and nothing was sent to the upstream.
 */
import { Completed, type SendObserver } from "@blockquarry/http/Gateway"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import type { ClientQuotas } from "./ClientQuotas.ts"

/** Runs a call that the client pays for, and that reports to `onSent` what it sends. `maxWait` is as in `ClientQuotas`. */
export const charged = <A>(
  { client, context, cost, maxWait, quotas }: {
    readonly client: AuthenticatedClient
    readonly context: RequestContext.RequestContext
    readonly cost: number
    readonly maxWait?: Duration.Duration
    readonly quotas: ClientQuotas
  },
  call: (onSent: SendObserver.SendObserver) => Effect.Effect<A, ProxyError.ProxyError>
): Effect.Effect<A, ProxyError.ProxyError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(quotas.acquire(client, cost, maxWait), (charge) => {
      RequestContext.recordCharge(context, charge)
      const settle = RequestContext.addUnsettledCharge(context)
      let sent = 0
      const onSent = (change: number) => {
        sent += change
      }
      const called = call(onSent)
      if (Completed.isComplete(called)) {
        settle()
        return called
      }
      return Effect.matchCauseEffect(restore(called), {
        onSuccess: (result) => {
          settle()
          return Effect.succeed(result)
        },
        onFailure: (cause) => {
          const refund = sent > 0
            ? Effect.void
            : Effect.map(charge.refund, (quotas) => RequestContext.recordRefund(context, charge, quotas))
          return Effect.zipRight(Effect.ensuring(refund, Effect.sync(settle)), Effect.failCause(cause))
        }
      })
    })
  )
