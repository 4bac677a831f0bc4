/**
 * Charges clients for requests. The units are consumed first, so that limits hold for concurrent requests, and given back
 * if the request gets no response and nothing was sent to the upstream.
 */
import type * as CallClient from "@blockquarry/http/CallClient"
import * as Effect from "effect/Effect"
import type { Charge } from "../exchange/Charge.ts"
import * as Completed from "../exchange/Completed.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import * as RequestContext from "../exchange/RequestContext.ts"

/** Runs a call that a client pays for with `charge`, and that reports to `onSent` what it sends. */
export const charged = <A>(
  context: RequestContext.RequestContext,
  charge: Effect.Effect<Charge, ProxyError.ProxyError>,
  call: (onSent: CallClient.SendObserver) => Effect.Effect<A, ProxyError.ProxyError>
): Effect.Effect<A, ProxyError.ProxyError> =>
  Completed.uninterruptible(Completed.flatMap(charge, (charge) => {
    const units = charge.shadowed ? 0 : charge.cost
    // A list is charged once per page.
    context.quotas = charge.quotas
    context.chargedCost += units
    context.shadowed ||= charge.shadowed
    context.waitMs += charge.waitMs
    let sent = 0
    const called = call((change) => {
      sent += change
    })
    if (Completed.isComplete(called)) return called
    const settle = RequestContext.addUnsettledCharge(context)
    return Effect.matchCauseEffect(Effect.interruptible(called), {
      onSuccess: (result) => {
        settle()
        return Effect.succeed(result)
      },
      onFailure: (cause) => {
        const refund = sent > 0
          ? Effect.void
          : Effect.map(charge.refund, (quotas) => {
            context.quotas = quotas
            context.chargedCost -= units
          })
        return Effect.zipRight(Effect.ensuring(refund, Effect.sync(settle)), Effect.failCause(cause))
      }
    })
  }))
