/**
 * Rate limits of clients, and their quotas per day and month. The units are counted in the engine's store: in Redis if proxies share it,
 * otherwise in this process.
 *
 * Requests over the rate limit are queued per client for a short time. The headers `RateLimit` and `RateLimit-Policy`
 * report the remaining units (draft-ietf-httpapi-ratelimit-headers).
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
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config, Cost } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { Charge, QuotaStatus } from "../exchange/Reservation.ts"
import {
  expectedWait,
  queueFull,
  quotaExceeded,
  type QuotaQueue,
  type QuotaRejection,
  remainingWait,
  type Waiter,
  waitUntilHead
} from "./QuotaQueue.ts"
import {
  accountName,
  noConsumption,
  type QuotaDecision,
  quotaStatuses,
  rateLimitRule,
  unlimited
} from "./QuotaStatus.ts"

export interface ClientQuotas {
  /**
   * Consumes units of a client, after a wait if necessary. Only the wait is interruptible, so that no charge is lost.
   *
   * Consumes the units at once, at the current time `now`, if it need not wait: then the effect is complete.
   */
  readonly acquire: (
    client: AuthenticatedClient,
    cost: Cost,
    now: number,
    maxWait?: Duration.Duration
  ) => Effect.Effect<Charge, ProxyError.ProxyError>
  /** Returns the state of limits. Empty if the store cannot tell. */
  readonly status: (client: Limited) => Effect.Effect<ReadonlyArray<QuotaStatus>>
}

type Limited = Pick<AuthenticatedClient, "name" | "quotas" | "rateLimit">

/** The time for a decision, which may use the store twice, in milliseconds: see `RateLimitStore.withFallback`. */
const storeTime = 1000

export const make = (
  { maxQueue, maxWait, mode }: Config["quotas"],
  store: RateLimitStoreService,
  clock: SteadyClock.SteadyClock,
  fork: (effect: Effect.Effect<unknown>) => unknown
): ClientQuotas => {
  const queues = new Map<string, QuotaQueue>()
  const systemNow = () => clock.system.unsafeCurrentTimeMillis()
  const steadyNow = () => clock.unsafeCurrentTimeMillis()

  /** Consumes units of all limits, or of none. A used up quota does not wait for units of the rate limit. */
  const decide = (
    { name, quotas, rateLimit }: Limited,
    { price, rateCost }: Cost,
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
      const timeLeft = deadline - steadyNow()
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

  const attempt = (
    waiter: Waiter,
    now: number
  ): Effect.Effect<Charge | QuotaRejection, ProxyError.ProxyError> => {
    const decision = decide(waiter.client, waiter, now)
    return Completed.isComplete(decision)
      ? Effect.succeed(chargeOf(waiter, decision.value, now))
      : Effect.mapBoth(decision, {
        onFailure: () => ProxyError.limitStoreUnavailable,
        onSuccess: (decision) => chargeOf(waiter, decision, systemNow())
      })
  }

  const chargeOf = (waiter: Waiter, decision: QuotaDecision, now: number): Charge | QuotaRejection => {
    const { client, price, startedAt } = waiter
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
      const refund = refundOf(waiter, decision, decidedAt)
      const correct = correctionOf(waiter, decision, decidedAt)
      return { price, quotas, correct, refund, waitMs: shadowed ? 0 : decidedAt - startedAt, shadowed }
    }
    waiter.readyAt = decidedAt + waitMs
    const exceeded = consumption._tag === "QuotaExceeded" ? client.quotas[consumption.exceeded] : undefined
    return { waitMs, quotas, exceeded: exceeded ?? null }
  }

  const correctionOf =
    ({ client: { quotas } }: Waiter, { consumption }: QuotaDecision, decidedAt: number): Charge["correct"] =>
    (units) => {
      if (units === 0 || quotas.length === 0 || consumption._tag !== "Consumed") return
      const refund = store.refund(quotas, units, steadyNow() - decidedAt, consumption)
      if (refund.evaluate !== undefined) refund.evaluate(systemNow())
      else fork(refund)
    }

  const refundOf = (
    { client, price, rateCost }: Waiter,
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

  const acquire: ClientQuotas["acquire"] = (client, cost, now, maxWaitOverride = maxWait) => {
    if (client.rateLimit === null && client.quotas.length === 0) {
      return Effect.succeed(unlimitedCharge(cost.price))
    }
    const startedAt = clock.at(now)
    const maxWaitMs = Duration.toMillis(maxWaitOverride)
    const waiter = {
      client,
      price: cost.price,
      rateCost: cost.rateCost,
      startedAt,
      maxWaitMs,
      readyAt: startedAt,
      atHead: null
    }
    // While no request is queued, requests use the store concurrently.
    const charge = queues.has(client.name) ? waitInQueue(waiter, null) : Completed.flatMap(
      attempt(waiter, now),
      (charge) => isRejection(charge) ? waitInQueue(waiter, charge) : Effect.succeed(charge)
    )
    return Completed.uninterruptible(charge)
  }

  /** Waits in the queue; `rejection` is the result of an earlier attempt. */
  const waitInQueue = (waiter: Waiter, rejection: QuotaRejection | null) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => enqueue(waiter, rejection, steadyNow())),
      (queue) => retryAtHead(queue, waiter, rejection),
      (queue) => Effect.sync(() => dequeue(queue, waiter))
    )

  const enqueue = (
    waiter: Waiter,
    rejection: QuotaRejection | null,
    now: number
  ): Effect.Effect<QuotaQueue, ProxyError.ProxyError> => {
    const { name } = waiter.client
    const queue = queues.get(name) ?? { waiters: [], lastRejection: rejection ?? initialRejection }
    const lastRejection = rejection ?? queue.lastRejection
    const laterIndex = queue.waiters.findIndex(({ maxWaitMs }) => maxWaitMs > waiter.maxWaitMs)
    const position = laterIndex === -1 ? queue.waiters.length : laterIndex
    const waitMs = expectedWait([...queue.waiters.slice(0, position), waiter], lastRejection, now)
    if (queue.waiters.length >= maxQueue) return Effect.fail(queueFull({ ...lastRejection, waitMs }))
    if (waitMs > remainingWait(waiter, now)) return Effect.fail(quotaExceeded({ ...lastRejection, waitMs }))
    queue.waiters.splice(position, 0, waiter)
    queues.set(name, queue)
    return Effect.succeed(queue)
  }

  /** Removes a waiter, also after an interruption, and notifies the next one. */
  const dequeue = (queue: QuotaQueue, waiter: Waiter): void => {
    queue.waiters.splice(queue.waiters.indexOf(waiter), 1)
    if (queue.waiters.length === 0) queues.delete(waiter.client.name)
    queue.waiters[0]?.atHead?.unsafeOpen()
  }

  /**
   * Tries at the head of the queue until the store grants the units, if `maxWait` permits. While it waits as long as the store
   * demands, other waiters may overtake it.
   */
  const retryAtHead = (queue: QuotaQueue, waiter: Waiter, earlier: QuotaRejection | null) =>
    Effect.gen(function*() {
      let rejection = queue.waiters[0] === waiter ? earlier : null
      while (true) {
        if (rejection !== null) {
          queue.lastRejection = rejection
          if (rejection.waitMs > remainingWait(waiter, steadyNow())) return yield* quotaExceeded(rejection)
          yield* Effect.interruptible(Effect.sleep(rejection.waitMs))
        }
        if (!(yield* waitUntilHead(queue, waiter, steadyNow()))) {
          const before = queue.waiters.slice(0, queue.waiters.indexOf(waiter) + 1)
          const waitMs = Math.max(1, expectedWait(before, queue.lastRejection, steadyNow()))
          return yield* quotaExceeded({ ...queue.lastRejection, waitMs })
        }
        const charge = yield* attempt(waiter, systemNow())
        if (!isRejection(charge)) return charge
        rejection = charge
      }
    })

  const status: ClientQuotas["status"] = (client) =>
    Effect.suspend(() => decide(client, { price: 0, rateCost: 0 }, systemNow())).pipe(
      Effect.match({
        onFailure: () => [],
        onSuccess: (decision) => quotaStatuses(client, decision, systemNow())
      })
    )

  return { acquire, status }
}

const initialRejection: QuotaRejection = { waitMs: 0, exceeded: null, quotas: [] }

const isRejection = (charge: Charge | QuotaRejection): charge is QuotaRejection => "exceeded" in charge

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

const unlimitedCharge = (price: number): Charge => ({
  price,
  quotas: [],
  waitMs: 0,
  shadowed: false,
  correct: () => {},
  refund: Effect.succeed([])
})
