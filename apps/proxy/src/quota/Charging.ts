/**
 * Takes the units of a request from the limits of its client, and gives them back. The units are counted in the engine's store: in
 * Redis if proxies share it, otherwise in this process. It decides once and does not wait for units: `ClientQuotas` does.
 */
import type * as SteadyClock from "@blockquarry/http/gateway/SteadyClock"
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import {
  type Consumption,
  evaluate,
  type RateLimitStoreService,
  type RemainingQuota
} from "@blockquarry/http/RateLimitStore"
import * as Completed from "@blockquarry/server/Completed"
import * as Effect from "effect/Effect"
import type { AppliedQuota } from "../auth/AppliedQuotas.ts"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config, Cost } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { Charge, QuotaStatus } from "../exchange/Reservation.ts"
import {
  accountName,
  noConsumption,
  type QuotaDecision,
  quotaStatuses,
  rateLimitRule,
  unlimited
} from "./QuotaStatus.ts"

export interface Charging {
  /** Takes the units of all limits, or of none. Complete if the store is in this process. */
  readonly attempt: (
    charged: ChargedRequest,
    now: number
  ) => Effect.Effect<Charge | QuotaRejection, ProxyError.ProxyError>
  /** Returns the state of limits. Empty if the store cannot tell. */
  readonly status: (client: LimitedClient) => Effect.Effect<ReadonlyArray<QuotaStatus>>
}

/** A client, or the common limits of several. */
type LimitedClient = Pick<AuthenticatedClient, "name" | "quotas" | "rateLimit">

/** A request that needs units. Times are steady: see `SteadyClock`. */
export interface ChargedRequest extends Cost {
  readonly client: AuthenticatedClient
  readonly startedAt: number
  /** Time at which the store expects to grant the units. */
  readyAt: number
}

export interface QuotaRejection {
  readonly waitMs: number
  /** Null: the rate limit. */
  readonly exceeded: AppliedQuota | null
  readonly quotas: ReadonlyArray<QuotaStatus>
}

/** The time for a decision, which may use the store twice, in milliseconds: see `RateLimitStore.withFallback`. */
const storeTime = 1000

export const make = (
  mode: Config["quotas"]["mode"],
  store: RateLimitStoreService,
  clock: SteadyClock.SteadyClock,
  fork: (effect: Effect.Effect<unknown>) => unknown
): Charging => {
  const systemNow = () => clock.system.unsafeCurrentTimeMillis()
  const steadyNow = () => clock.unsafeCurrentTimeMillis()

  const decide = makeDecide(mode, store, clock)

  const attempt: Charging["attempt"] = (charged, now) => {
    const decision = decide(charged.client, charged, now)
    return Completed.isComplete(decision)
      ? Effect.succeed(chargeOf(charged, decision.value, now))
      : Effect.mapBoth(decision, {
        onFailure: () => ProxyError.limitStoreUnavailable,
        onSuccess: (decision) => chargeOf(charged, decision, systemNow())
      })
  }

  const chargeOf = (
    charged: ChargedRequest,
    decision: QuotaDecision,
    now: number
  ): Charge | QuotaRejection => {
    const { client, price, startedAt } = charged
    const quotas = quotaStatuses(client, decision, now)
    const decidedAt = clock.at(now)
    const { consumption, permit } = decision
    const waitMs = consumption._tag === "QuotaExceeded"
      ? consumption.millis
      : permit._tag === "Delayed"
      ? permit.millis
      : 0
    if (waitMs === 0 || mode === "shadow") {
      const shadowed = waitMs > 0
      const refund = refundOf(charged, decision, decidedAt)
      const correct = correctionOf(charged, decision, decidedAt)
      return { price, quotas, correct, refund, waitMs: shadowed ? 0 : decidedAt - startedAt, shadowed }
    }
    charged.readyAt = decidedAt + waitMs
    const exceeded = consumption._tag === "QuotaExceeded" ? client.quotas[consumption.exceeded] : undefined
    return { waitMs, quotas, exceeded: exceeded ?? null }
  }

  const correctionOf = (
    { client: { quotas } }: ChargedRequest,
    { consumption }: QuotaDecision,
    decidedAt: number
  ): Charge["correct"] =>
  (units) => {
    if (units === 0 || quotas.length === 0 || consumption._tag !== "Consumed") return
    const refund = store.refund(quotas, units, steadyNow() - decidedAt, consumption)
    if (refund.evaluate !== undefined) refund.evaluate(systemNow())
    else fork(refund)
  }

  const refundOf = (
    { client, price, rateCost }: ChargedRequest,
    { consumption, permit }: QuotaDecision,
    decidedAt: number
  ): Charge["refund"] =>
    Effect.suspend(() => {
      const { name, quotas, rateLimit } = client
      const age = steadyNow() - decidedAt
      const releasedPermit = rateLimit === null || permit._tag === "Delayed"
        ? Effect.succeed(permit)
        : Effect.map(
          store.release(accountName(name), rateLimitRule(rateLimit), rateCost, age, permit),
          (remaining) => ({ ...permit, remaining })
        )
      const refunded = quotas.length === 0 || consumption._tag !== "Consumed"
        ? Effect.succeed(consumption)
        : Effect.map(
          store.refund(quotas, price, age, consumption),
          (remaining) => ({ ...consumption, remaining })
        )
      return Effect.map(
        Effect.all({ permit: releasedPermit, consumption: refunded }, { concurrency: "unbounded" }),
        (decision) => quotaStatuses(client, decision, systemNow())
      )
    })

  const status: Charging["status"] = (client) =>
    Effect.suspend(() => decide(client, { price: 0, rateCost: 0 }, systemNow())).pipe(
      Effect.match({
        onFailure: () => [],
        onSuccess: (decision) => quotaStatuses(client, decision, systemNow())
      })
    )

  return { attempt, status }
}

/** Consumes units of all limits, or of none. A used up quota does not wait for units of the rate limit. */
const makeDecide = (
  mode: Config["quotas"]["mode"],
  store: RateLimitStoreService,
  clock: SteadyClock.SteadyClock
) =>
(
  { name, quotas, rateLimit }: LimitedClient,
  { price, rateCost }: Pick<Cost, "price" | "rateCost">,
  now: number
): Effect.Effect<QuotaDecision, StoreError> => {
  const account = accountName(name)
  const deadline = clock.at(now) + storeTime
  const acquired = rateLimit === null
    ? Effect.succeed(unlimited)
    : evaluate(store.acquire(account, rateLimitRule(rateLimit), rateCost, 0, storeTime), now)
  if (quotas.length === 0) {
    return Completed.map(acquired, (permit) => ({ permit, consumption: noConsumption }))
  }
  return Completed.flatMap(acquired, (permit): Effect.Effect<QuotaDecision, StoreError> => {
    const timeLeft = deadline - clock.unsafeCurrentTimeMillis()
    if (permit._tag === "Delayed" && mode === "enforce") {
      return Completed.map(evaluate(store.peek(quotas, timeLeft), now), (remaining) => ({
        permit,
        consumption: consumptionOf(quotas, remaining, price)
      }))
    }
    const release = () =>
      rateLimit === null || mode === "shadow"
        ? Effect.succeed(permit.remaining)
        : evaluate(store.release(account, rateLimitRule(rateLimit), rateCost, 0, permit), now)
    const consumed = evaluate(store.consume(quotas, price, timeLeft), now)
    return Completed.flatMap(
      Completed.isComplete(consumed) ? consumed : Effect.tapError(consumed, release),
      (consumption): Effect.Effect<QuotaDecision> =>
        consumption._tag === "Consumed"
          ? Effect.succeed({ permit, consumption })
          : Completed.map(release(), (remaining) => ({ permit: { ...permit, remaining }, consumption }))
    )
  })
}

/** What consuming would give. */
const consumptionOf = (
  quotas: AuthenticatedClient["quotas"],
  windows: ReadonlyArray<RemainingQuota>,
  price: number
): Consumption => {
  const remaining = windows.map(({ remaining }) => remaining)
  const exceeded = quotas.findIndex(({ soft }, index) => soft !== true && (remaining[index] ?? 0) < price)
  return exceeded === -1
    ? { _tag: "Consumed", remaining }
    : { _tag: "QuotaExceeded", remaining, exceeded, millis: windows[exceeded]?.millis ?? 0 }
}
