/**
 * Rate limits and daily quotas of clients. The units are counted in the engine's store: in Redis if proxies share it,
 * otherwise in this process.
 *
 * Requests over the rate limit are queued per client for a short time. The headers `RateLimit` and `RateLimit-Policy`
 * report the remaining units (draft-ietf-httpapi-ratelimit-headers).
 */
import {
  type Consumption,
  evaluate,
  type Permit,
  type RateLimitStoreService
} from "@blockquarry/http/RateLimitStore"
import type * as SteadyClock from "@blockquarry/http/SteadyClock"
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config } from "../config/Config.ts"
import type { Charge, QuotaStatus } from "../exchange/Charge.ts"
import * as Completed from "../exchange/Completed.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import {
  expectedWait,
  initialRejection,
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
  dailyQuotaRule,
  type QuotaDecision,
  quotaStatuses,
  rateLimitRule,
  unlimited,
  waitMsOf
} from "./QuotaStatus.ts"

export type ClientQuotas = ReturnType<typeof make>

/** The time for a decision, which may use the store several times, in milliseconds: see `RateLimitStore.withFallback`. */
const storeTime = 1000

export const make = (
  { maxQueue, maxWait, mode }: Config["quotas"],
  store: RateLimitStoreService,
  clock: SteadyClock.SteadyClock
) => {
  const queues = new Map<string, QuotaQueue>()
  const withSteadyNow = <A, E>(run: (now: number) => Effect.Effect<A, E>) =>
    Effect.suspend(() => run(clock.unsafeCurrentTimeMillis()))

  const timeLeft = (deadline: number): number => deadline - clock.unsafeCurrentTimeMillis()

  /** Consumes units of the rate limit. A cost of 0 reports the remaining units. */
  const acquireRate = (
    { rateLimit, name }: AuthenticatedClient,
    cost: number,
    now: number,
    timeLeft = storeTime
  ): Effect.Effect<Permit, StoreError> =>
    rateLimit === null
      ? Effect.succeed(unlimited)
      : evaluate(store.acquire(accountName(name), rateLimitRule(rateLimit), cost, 0, timeLeft), now)

  /**
   * Consumes units of both limits, or of none. An exhausted daily quota does not wait for units of the rate limit.
   */
  const decide = (
    client: AuthenticatedClient,
    cost: number,
    now: number
  ): Effect.Effect<QuotaDecision, StoreError> => {
    const { rateLimit, name, dailyQuota } = client
    const deadline = clock.at(now) + storeTime
    const acquired = acquireRate(client, cost, now)
    if (dailyQuota === null) return Completed.map(acquired, (permit) => ({ permit, daily: null }))
    const consumeDaily = (permit: Permit) =>
      Completed.map(
        evaluate(store.consume(accountName(name), dailyQuotaRule(dailyQuota), cost, timeLeft(deadline)), now),
        (daily): QuotaDecision => ({ permit, daily })
      )
    // In shadow mode both limits are counted independently.
    if (rateLimit === null || mode === "shadow") return Completed.flatMap(acquired, consumeDaily)
    return Completed.flatMap(
      acquired,
      (permit): Effect.Effect<QuotaDecision, StoreError> =>
        permit._tag === "Delayed"
          ? checkDaily(client, dailyQuota, cost, permit, now, deadline)
          : Completed.flatMap(consumeDaily(permit), (decision) =>
            decision.daily?._tag === "QuotaExceeded"
              ? Completed.map(
                evaluate(store.release(accountName(name), rateLimitRule(rateLimit), cost, 0, permit), now),
                (remaining) => ({ ...decision, permit: { ...permit, remaining } })
              )
              : Effect.succeed(decision))
    )
  }

  /** Decides about a request over the rate limit, which consumes nothing. */
  const checkDaily = (
    client: AuthenticatedClient,
    dailyQuota: number,
    cost: number,
    permit: Permit,
    now: number,
    deadline: number
  ): Effect.Effect<QuotaDecision, StoreError> =>
    Completed.flatMap(
      evaluate(store.peek(accountName(client.name), dailyQuotaRule(dailyQuota), timeLeft(deadline)), now),
      ({ millis, remaining }): Effect.Effect<QuotaDecision, StoreError> =>
        remaining >= cost
          ? Effect.succeed({ permit, daily: { _tag: "Consumed", remaining } })
          : Completed.map(
            acquireRate(client, 0, now, timeLeft(deadline)),
            (permit) => ({ permit, daily: { _tag: "QuotaExceeded", remaining, millis } })
          )
    )

  const attempt = (
    waiter: Waiter,
    now: number
  ): Effect.Effect<Charge | QuotaRejection, ProxyError.ProxyError> => {
    const decision = decide(waiter.client, waiter.cost, now)
    return Completed.isComplete(decision)
      ? Effect.succeed(chargeOf(waiter, decision.value, now))
      : Effect.matchEffect(decision, {
        onFailure: () => Effect.fail(ProxyError.limitStoreUnavailable),
        onSuccess: (decision) => withNow((now) => Effect.succeed(chargeOf(waiter, decision, now)))
      })
  }

  const chargeOf = (waiter: Waiter, decision: QuotaDecision, now: number): Charge | QuotaRejection => {
    const { client, cost, startedAt } = waiter
    const quotas = quotaStatuses(client, decision, now)
    const decidedAt = clock.at(now)
    const waitMs = waitMsOf(decision)
    if (waitMs === 0 || mode === "shadow") {
      const shadowed = waitMs > 0
      const refund = refundOf(waiter, decision, decidedAt)
      return { cost, quotas, refund, waitMs: shadowed ? 0 : decidedAt - startedAt, shadowed }
    }
    waiter.readyAt = decidedAt + waitMs
    return { waitMs, quotas, isDaily: decision.daily?._tag === "QuotaExceeded" }
  }

  const refundOf = (
    { client, cost }: Pick<Waiter, "client" | "cost">,
    { daily, permit }: QuotaDecision,
    decidedAt: number
  ): Charge["refund"] =>
    withNow((now) => {
      const { dailyQuota, name, rateLimit } = client
      const age = clock.at(now) - decidedAt
      const releasedPermit = rateLimit === null || permit._tag === "Delayed"
        ? Effect.succeed(permit)
        : Effect.map(
          store.release(accountName(name), rateLimitRule(rateLimit), cost, age, permit),
          (remaining) => ({ ...permit, remaining })
        )
      const refundedDaily = dailyQuota === null || daily?._tag !== "Consumed"
        ? Effect.succeed(daily)
        : Effect.map(
          store.refund(accountName(name), dailyQuotaRule(dailyQuota), cost, age, daily),
          (remaining) => ({ ...daily, remaining })
        )
      return Effect.map(
        Effect.all({ permit: releasedPermit, daily: refundedDaily }, { concurrency: "unbounded" }),
        (decision) => quotaStatuses(client, decision, now)
      )
    })

  /**
   * Consumes units of a client, after a wait if necessary. Only the wait is interruptible, so that no charge is lost.
   *
   * Consumes the units at once, at the current time `now`, if it need not wait: then the effect is complete.
   */
  const acquire = (
    client: AuthenticatedClient,
    cost: number,
    now: number,
    maxWaitOverride = maxWait
  ): Effect.Effect<Charge, ProxyError.ProxyError> => {
    if (client.rateLimit === null && client.dailyQuota === null) return Effect.succeed(unlimitedCharge(cost))
    const startedAt = clock.at(now)
    const waiter = {
      client,
      cost,
      startedAt,
      maxWaitMs: Duration.toMillis(maxWaitOverride),
      readyAt: startedAt,
      notifyHead: () => {}
    }
    // While no request is queued, requests use the store concurrently.
    const charge = queues.has(client.name) ? waitInQueue(waiter, null) : Completed.flatMap(
      attempt(waiter, now),
      (charge) => isRejection(charge) ? waitInQueue(waiter, charge) : Effect.succeed(charge)
    )
    return Completed.uninterruptible(charge)
  }

  /** Waits in the queue; `rejection` is the result of an earlier attempt. */
  const waitInQueue = (
    waiter: Waiter,
    rejection: QuotaRejection | null
  ): Effect.Effect<Charge, ProxyError.ProxyError> =>
    Effect.acquireUseRelease(
      withSteadyNow((now) => enqueue(waiter, rejection, now)),
      (queue) =>
        rejection !== null && queue.waiters[0] === waiter
          ? waitAndRetry(queue, waiter, rejection)
          : attemptAtHead(queue, waiter),
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
    const position = queue.waiters.indexOf(waiter)
    queue.waiters.splice(position, 1)
    if (queue.waiters.length === 0) queues.delete(waiter.client.name)
    if (position === 0) queue.waiters[0]?.notifyHead()
  }

  /** Tries as soon as the waiter is at the head of the queue. */
  const attemptAtHead = (queue: QuotaQueue, waiter: Waiter): Effect.Effect<Charge, ProxyError.ProxyError> =>
    Effect.flatMap(withSteadyNow((now) => waitUntilHead(queue, waiter, now)), (isFirst) => {
      if (!isFirst) {
        return withSteadyNow((now) => rejectAfterTimeout(queue, waiter, now))
      }
      return Effect.flatMap(
        withNow((now) => attempt(waiter, now)),
        (charge) => isRejection(charge) ? waitAndRetry(queue, waiter, charge) : Effect.succeed(charge)
      )
    })

  /** Fails with the time after which the request might have been accepted. */
  const rejectAfterTimeout = (
    { lastRejection: rejection, waiters }: QuotaQueue,
    waiter: Waiter,
    now: number
  ) => {
    const wait = expectedWait(waiters.slice(0, waiters.indexOf(waiter) + 1), rejection, now)
    return Effect.fail(quotaExceeded({ ...rejection, waitMs: Math.max(1, wait) }))
  }

  /** Waits as long as the store demands, if `maxWait` permits. Other waiters may overtake it meanwhile. */
  const waitAndRetry = (
    queue: QuotaQueue,
    waiter: Waiter,
    rejection: QuotaRejection
  ): Effect.Effect<Charge, ProxyError.ProxyError> =>
    withSteadyNow((now) => {
      queue.lastRejection = rejection
      return rejection.waitMs > remainingWait(waiter, now)
        ? Effect.fail(quotaExceeded(rejection))
        : Effect.zipRight(
          Effect.interruptible(Effect.sleep(rejection.waitMs)),
          Effect.suspend(() => attemptAtHead(queue, waiter))
        )
    })

  /** Returns the remaining units of a client. Empty if the store cannot tell. */
  const status = (client: AuthenticatedClient): Effect.Effect<ReadonlyArray<QuotaStatus>> => {
    const { name, dailyQuota } = client
    const daily = dailyQuota === null
      ? Effect.succeed(null)
      : Effect.map(
        store.peek(accountName(name), dailyQuotaRule(dailyQuota), storeTime),
        ({ remaining }): Consumption => ({ _tag: "Consumed", remaining })
      )
    return Effect.flatMap(
      Effect.all({ permit: withNow((now) => acquireRate(client, 0, now)), daily }),
      (decision) => Effect.map(Clock.currentTimeMillis, (now) => quotaStatuses(client, decision, now))
    ).pipe(Effect.orElseSucceed(() => []))
  }

  return { acquire, status }
}

const withNow = <A, E>(run: (now: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => run(clock.unsafeCurrentTimeMillis()))

const isRejection = (charge: Charge | QuotaRejection): charge is QuotaRejection => "isDaily" in charge

const unlimitedCharge = (cost: number): Charge => ({
  cost,
  quotas: [],
  waitMs: 0,
  shadowed: false,
  refund: Effect.succeed([])
})
