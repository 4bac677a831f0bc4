/**
 * Charges clients for requests. The expected units are consumed first, so that limits hold for concurrent requests. They are given
 * back if the request gets no response and nothing was sent to the upstream. Once something was sent, the client pays the prices of
 * its attempts instead, each as soon as it is known, also after the client has disconnected.
 */
import type { Reservation } from "@blockquarry/http/CallContext"
import type { UsageObserver } from "@blockquarry/http/CallUsage"
import * as Completed from "@blockquarry/server/Completed"
import * as Effect from "effect/Effect"
import type { Charge } from "../exchange/Charge.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import * as RequestContext from "../exchange/RequestContext.ts"

/** Runs a call that a client pays for with `charge`, and that reports to its reservation what it sends and uses. */
export const charged = <A>(
  context: RequestContext.RequestContext,
  charge: Effect.Effect<Charge, ProxyError.ProxyError>,
  call: (reservation: Reservation) => Effect.Effect<A, ProxyError.ProxyError>
): Effect.Effect<A, ProxyError.ProxyError> =>
  Completed.uninterruptible(Completed.flatMap(charge, (charge) => {
    const units = charge.shadowed ? 0 : charge.price
    // A list is charged once per page.
    context.quotas = charge.quotas
    context.chargedCost += units
    context.shadowed ||= charge.shadowed
    if (charge.quotas.some(({ warns }) => warns)) context.warned = true
    context.waitMs += charge.waitMs
    // The part of the charge that no attempt has used yet. Null once it was given back.
    let unused: number | null = charge.price
    let reported = false
    const onUsage: UsageObserver = (usage, key) => {
      let correction = 0
      reported = true
      if (unused !== null && (usage.price > 0 || usage.priceDrift !== 0)) {
        correction = unused - usage.price
        unused = 0
        charge.correct(correction)
      }
      RequestContext.recordUsage(context, usage, charge.shadowed ? 0 : -correction, key)
    }
    const reservation = { sent: 0, onUsage }
    const called = call(reservation)
    if (Completed.isComplete(called)) return called
    const settle = RequestContext.addUnsettledCharge(context)
    return Effect.matchCauseEffect(Effect.interruptible(called), {
      onSuccess: (result) => {
        settle()
        if (!reported) context.savedCost += charge.price
        return Effect.succeed(result)
      },
      onFailure: (cause) => {
        if (reservation.sent === 0) unused = null
        const refund = reservation.sent > 0
          ? Effect.void
          : Effect.map(charge.refund, (quotas) => {
            context.quotas = quotas
            context.chargedCost -= units
          })
        return Effect.zipRight(Effect.ensuring(refund, Effect.sync(settle)), Effect.failCause(cause))
      }
    })
  }))
