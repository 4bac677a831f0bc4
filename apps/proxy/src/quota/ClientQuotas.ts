/**
 * Rate limits of clients, and their quotas per day and month. The units are counted in the engine's store: in Redis if proxies share it,
 * otherwise in this process.
 *
 * Requests over the rate limit are queued per client for a short time. The headers `RateLimit` and `RateLimit-Policy`
 * report the remaining units (draft-ietf-httpapi-ratelimit-headers).
 */
import {
  type Consumption,
  evaluate,
  type RateLimitStoreService,
  type StoreOperation
} from "@blockquarry/http/RateLimitStore"
import type * as SteadyClock from "@blockquarry/http/SteadyClock"
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Completed from "@blockquarry/server/Completed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Budget } from "../auth/Budgets.ts"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config, Cost } from "../config/Config.ts"
import type { Charge, QuotaStatus } from "../exchange/Charge.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
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
  exceededOf,
  type QuotaDecision,
  quotaStatuses,
  rateLimitRule,
  unlimited
} from "./QuotaStatus.ts"

export type ClientQuotas = ReturnType<typeof make>

/** The time for a decision, which may use the store several times, in milliseconds: see `RateLimitStore.withFallback`. */
const storeTime = 1000

export const make = (
  { maxQueue, maxWait, mode }: Config["quotas"],
  store: RateLimitStoreService,
  clock: SteadyClock.SteadyClock,
  fork: (effect: Effect.Effect<unknown>) => unknown
) => {
  const queues = new Map<string, QuotaQueue>()
  const systemNow = () => clock.system.unsafeCurrentTimeMillis()
  const steadyNow = () => clock.unsafeCurrentTimeMillis()

  /**
   * Consumes units of all limits, or of none. A used up quota does not wait for units of the rate limit. In shadow mode all
   * limits are counted independently.
   */
  const decide = (
    { budgets, name, rateLimit }: AuthenticatedClient,
    { price, rateCost }: Cost,
    now: number
  ): Effect.Effect<QuotaDecision, StoreError> => {
    const account = accountName(name)
    const deadline = clock.at(now) + storeTime
    const run = <A, E>(operation: StoreOperation<A, E>) => evaluate(operation, now)
    const acquired = rateLimit === null
      ? Effect.succeed(unlimited)
      : run(store.acquire(account, rateLimitRule(rateLimit), rateCost, 0, storeTime))
    if (budgets.length === 0) return Completed.map(acquired, (permit) => ({ permit, consumptions: [] }))
    return Completed.flatMap(acquired, (permit): Effect.Effect<QuotaDecision, StoreError> => {
      const isDelayed = permit._tag === "Delayed" && mode === "enforce"
      const consumed = consumeAll(budgets, price, now, deadline, isDelayed, [])
      return Completed.flatMap(
        consumed,
        (consumptions) =>
          isDelayed || rateLimit === null || mode === "shadow" || !consumptions.some(isExceeded)
            ? Effect.succeed({ permit, consumptions })
            : Completed.map(
              run(store.release(account, rateLimitRule(rateLimit), rateCost, 0, permit)),
              (remaining) => ({ permit: { ...permit, remaining }, consumptions })
            )
      )
    })
  }

  /** Consumes from a quota. A soft one counts further units beyond its limit. */
  const consume = (
    { account, isHard, quota }: Budget,
    price: number,
    now: number,
    timeLeft: number
  ): Effect.Effect<Consumption, StoreError> =>
    Completed.flatMap(
      evaluate(store.consume(account, quota, price, timeLeft), now),
      (consumption) =>
        isHard || !isExceeded(consumption)
          ? Effect.succeed(consumption)
          : Completed.map(
            evaluate(store.refund(account, quota, -price, 0, consumption), now),
            (remaining) => ({ _tag: "Consumed", remaining })
          )
    )

  const peek = (
    { account, isHard, quota }: Budget,
    price: number,
    now: number,
    timeLeft: number
  ): Effect.Effect<Consumption, StoreError> =>
    Completed.map(
      evaluate(store.peek(account, quota, timeLeft), now),
      ({ millis, remaining }) =>
        !isHard || remaining >= price
          ? { _tag: "Consumed", remaining }
          : { _tag: "QuotaExceeded", remaining, millis }
    )

  /** Consumes from each quota until one is exceeded. Then those before it get their units back. */
  const consumeAll = (
    budgets: ReadonlyArray<Budget>,
    price: number,
    now: number,
    deadline: number,
    isDelayed: boolean,
    consumptions: Array<Consumption>
  ): Effect.Effect<ReadonlyArray<Consumption>, StoreError> => {
    const budget = budgets[consumptions.length]
    if (budget === undefined) return Effect.succeed(consumptions)
    const timeLeft = deadline - steadyNow()
    const consumed = isDelayed
      ? peek(budget, price, now, timeLeft)
      : consume(budget, price, now, timeLeft)
    return Completed.flatMap(
      consumed,
      (consumption): Effect.Effect<ReadonlyArray<Consumption>, StoreError> => {
        consumptions.push(consumption)
        if (mode === "shadow" || !isExceeded(consumption)) {
          return consumeAll(budgets, price, now, deadline, isDelayed, consumptions)
        }
        return isDelayed ? Effect.succeed(consumptions) : giveBack(budgets, price, now, consumptions)
      }
    )
  }

  /** Gives back what was consumed before the last quota, which is exceeded. */
  const giveBack = (
    budgets: ReadonlyArray<Budget>,
    price: number,
    now: number,
    consumptions: ReadonlyArray<Consumption>
  ): Effect.Effect<ReadonlyArray<Consumption>> =>
    Effect.forEach(consumptions, (consumption, index) => {
      const budget = budgets[index]
      return budget === undefined || isExceeded(consumption)
        ? Effect.succeed(consumption)
        : Effect.map(
          evaluate(store.refund(budget.account, budget.quota, price, 0, consumption), now),
          (remaining) => ({ ...consumption, remaining })
        )
    })

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
    const exceeded = exceededOf(client, decision)
    const { permit } = decision
    const waitMs = exceeded?.millis ?? (permit._tag === "Delayed" ? permit.millis : 0)
    if (waitMs === 0 || mode === "shadow") {
      const shadowed = waitMs > 0
      const refund = refundOf(waiter, decision, decidedAt)
      const correct = correctionOf(waiter, decision, decidedAt)
      return { price, quotas, correct, refund, waitMs: shadowed ? 0 : decidedAt - startedAt, shadowed }
    }
    waiter.readyAt = decidedAt + waitMs
    return { waitMs, quotas, exceeded: exceeded?.budget ?? null }
  }

  const correctionOf =
    ({ client }: Waiter, { consumptions }: QuotaDecision, decidedAt: number): Charge["correct"] =>
    (
      units
    ) => {
      if (units === 0) return
      for (let index = 0; index < consumptions.length; index++) {
        const [budget, consumption] = [client.budgets[index], consumptions[index]]
        if (budget === undefined || consumption === undefined || isExceeded(consumption)) continue
        const age = steadyNow() - decidedAt
        const refund = store.refund(budget.account, budget.quota, units, age, consumption)
        if (refund.evaluate !== undefined) refund.evaluate(systemNow())
        else fork(refund)
      }
    }

  const refundOf = (
    { client, price, rateCost }: Waiter,
    decision: QuotaDecision,
    decidedAt: number
  ): Charge["refund"] =>
    Effect.suspend(() => {
      const { name, rateLimit } = client
      const { consumptions, permit } = decision
      const age = steadyNow() - decidedAt
      const releasedPermit = rateLimit === null || permit._tag === "Delayed"
        ? Effect.succeed(permit)
        : Effect.map(
          store.release(accountName(name), rateLimitRule(rateLimit), rateCost, age, permit),
          (remaining) => ({ ...permit, remaining })
        )
      const refunded = Effect.forEach(consumptions, (consumption, index) => {
        const budget = client.budgets[index]
        return budget === undefined || isExceeded(consumption)
          ? Effect.succeed(consumption)
          : Effect.map(
            store.refund(budget.account, budget.quota, price, age, consumption),
            (remaining) => ({ ...consumption, remaining })
          )
      }, { concurrency: "unbounded" })
      return Effect.map(
        Effect.all({ permit: releasedPermit, consumptions: refunded }, { concurrency: "unbounded" }),
        (decision) => quotaStatuses(client, decision, systemNow())
      )
    })

  /**
   * Consumes units of a client, after a wait if necessary. Only the wait is interruptible, so that no charge is lost.
   *
   * Consumes the units at once, at the current time `now`, if it need not wait: then the effect is complete.
   */
  const acquire = (
    client: AuthenticatedClient,
    cost: Cost,
    now: number,
    maxWaitOverride = maxWait
  ): Effect.Effect<Charge, ProxyError.ProxyError> => {
    if (client.rateLimit === null && client.budgets.length === 0) {
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

  /** Returns the remaining units of a client. Empty if the store cannot tell. */
  const status = (client: AuthenticatedClient): Effect.Effect<ReadonlyArray<QuotaStatus>> =>
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

const isExceeded = ({ _tag }: Consumption): boolean => _tag === "QuotaExceeded"

const unlimitedCharge = (price: number): Charge => ({
  price,
  quotas: [],
  waitMs: 0,
  shadowed: false,
  correct: () => {},
  refund: Effect.succeed([])
})
