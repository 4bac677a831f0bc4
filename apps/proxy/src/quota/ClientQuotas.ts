/**
 * What each client may use: units per time and per UTC day, as much as the operations cost that it asks for, whether
 * the answer was kept or not. They are counted where the engine counts: in Redis for a fleet, or in this process.
 *
 * A client that asks too fast waits in a line of its own for a little while, where that helps; the headers `RateLimit` and
 * `RateLimit-Policy` tell it how much is left (draft-ietf-httpapi-ratelimit-headers).
 */
import type { Consumption, Permit, RateLimitStoreService } from "@blockquarry/http/RateLimitStore"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config } from "../config/Config.ts"
import type { Charge, QuotaStatus } from "../exchange/Charge.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import {
  expectedWait,
  initialDenial,
  queueFull,
  type QuotaDenial,
  quotaExceeded,
  type QuotaQueue,
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

export interface ClientQuotas {
  /** Takes units from a client's budgets, after a wait where that helps; one of `patience` at most. */
  readonly acquire: (
    client: AuthenticatedClient,
    cost: number,
    maxWait?: Duration.Duration
  ) => Effect.Effect<Charge, ProxyError.ProxyError>
  /** The same without a fiber, where budgets are counted here and nobody waits; undefined, and nothing taken, otherwise. */
  readonly tryAcquire: (client: AuthenticatedClient, cost: number, now: number) => Charge | undefined
  /** What a client has left now. */
  readonly status: (client: AuthenticatedClient) => Effect.Effect<ReadonlyArray<QuotaStatus>>
}

export const make = (
  { maxQueue, maxWait, mode }: Config["quotas"],
  store: RateLimitStoreService
): ClientQuotas => {
  const queues = new Map<string, QuotaQueue>()

  /** Taking no units tells how many there are. */
  const acquireRate = ({ rateLimit, name }: AuthenticatedClient, cost: number): Effect.Effect<Permit> =>
    rateLimit === null
      ? Effect.succeed(unlimited)
      : store.acquire(accountName(name), rateLimitRule(rateLimit), cost, 0)

  /**
   * The day is looked at first: where it has too little left, the rate is not charged. (It is in vain where another
   * process spent the last of the day in between.)
   */
  const decide = (client: AuthenticatedClient, cost: number): Effect.Effect<QuotaDecision> => {
    const { rateLimit, name, dailyQuota } = client
    if (dailyQuota === null) {
      return Effect.map(acquireRate(client, cost), (permit) => ({ permit, daily: null }))
    }
    const consumeDaily = (permit: Permit) =>
      Effect.map(
        store.consume(accountName(name), dailyQuotaRule(dailyQuota), cost),
        (daily): QuotaDecision => ({ permit, daily })
      )
    if (rateLimit === null) return consumeDaily(unlimited)
    // Where budgets only count, each goes by itself.
    if (mode === "shadow") return Effect.flatMap(acquireRate(client, cost), consumeDaily)
    return Effect.flatMap(
      store.peek(accountName(name), dailyQuotaRule(dailyQuota)),
      ({ millis, remaining }) =>
        remaining < cost
          ? Effect.map(
            acquireRate(client, 0),
            (permit) => ({ permit, daily: { _tag: "QuotaExceeded", remaining, millis } })
          )
          : Effect.flatMap(acquireRate(client, cost), (permit) =>
            permit._tag === "Delayed"
              ? Effect.succeed({ permit, daily: { _tag: "Consumed", remaining } })
              : consumeDaily(permit))
    )
  }

  /** One look at the budgets: a charge, or a refusal that has cost nothing. */
  const attempt = (waiter: Waiter): Effect.Effect<Charge | QuotaDenial> =>
    Effect.zipWith(decide(waiter.client, waiter.cost), Clock.currentTimeMillis, (decision, now) => {
      const quotas = quotaStatuses(waiter.client, decision, now)
      const waitMs = waitMsOf(decision)
      if (waitMs === 0) return { cost: waiter.cost, quotas, waitMs: now - waiter.startedAt, shadowed: false }
      if (mode === "shadow") return { cost: waiter.cost, quotas, waitMs: 0, shadowed: true }
      waiter.readyAt = now + waitMs
      return { waitMs, quotas, isDaily: decision.daily?._tag === "QuotaExceeded" }
    })

  const acquire: ClientQuotas["acquire"] = (client, cost, maxWaitOverride = maxWait) => {
    if (client.rateLimit === null && client.dailyQuota === null) return Effect.succeed(unlimitedCharge(cost))
    return Effect.flatMap(Clock.currentTimeMillis, (startedAt) => {
      const waiter = {
        client,
        cost,
        startedAt,
        maxWaitMs: Duration.toMillis(maxWaitOverride),
        readyAt: startedAt,
        notifyHead: () => {}
      }
      // Where nobody waits, several may ask the store at the same time.
      if (queues.has(client.name)) return waitInQueue(waiter, null)
      return Effect.flatMap(
        attempt(waiter),
        (charge) => isDenial(charge) ? waitInQueue(waiter, charge) : Effect.succeed(charge)
      )
    })
  }

  /** Waits for its turn; `refusal` is what it was told before it came. */
  const waitInQueue = (
    waiter: Waiter,
    denial: QuotaDenial | null
  ): Effect.Effect<Charge, ProxyError.ProxyError> =>
    Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (now) => enqueue(waiter, denial, now)),
      (queue) =>
        denial !== null && queue.waiters[0] === waiter
          ? waitAndRetry(queue, waiter, denial)
          : attemptAtHead(queue, waiter),
      (queue) => Effect.sync(() => dequeue(queue, waiter))
    )

  const enqueue = (
    waiter: Waiter,
    denial: QuotaDenial | null,
    now: number
  ): Effect.Effect<QuotaQueue, ProxyError.ProxyError> => {
    const { name } = waiter.client
    const queue = queues.get(name) ?? { waiters: [], lastDenial: denial ?? initialDenial }
    const lastDenial = denial ?? queue.lastDenial
    if (queue.waiters.length >= maxQueue) return Effect.fail(queueFull(lastDenial.quotas))
    const laterIndex = queue.waiters.findIndex(({ maxWaitMs }) => maxWaitMs > waiter.maxWaitMs)
    const position = laterIndex === -1 ? queue.waiters.length : laterIndex
    const waitMs = expectedWait([...queue.waiters.slice(0, position), waiter], lastDenial, now)
    if (waitMs > remainingWait(waiter, now)) return Effect.fail(quotaExceeded({ ...lastDenial, waitMs }))
    queue.waiters.splice(position, 0, waiter)
    queues.set(name, queue)
    return Effect.succeed(queue)
  }

  /** Who is gone leaves no gap, whatever the reason. */
  const dequeue = (queue: QuotaQueue, waiter: Waiter): void => {
    const position = queue.waiters.indexOf(waiter)
    queue.waiters.splice(position, 1)
    if (queue.waiters.length === 0) queues.delete(waiter.client.name)
    if (position === 0) queue.waiters[0]?.notifyHead()
  }

  /** Asks the store as soon as it is the first. */
  const attemptAtHead = (queue: QuotaQueue, waiter: Waiter): Effect.Effect<Charge, ProxyError.ProxyError> =>
    Effect.flatMap(waitUntilHead(queue, waiter), (isFirst) => {
      if (!isFirst) {
        return Effect.flatMap(Clock.currentTimeMillis, (now) => rejectAfterTimeout(queue, waiter, now))
      }
      return Effect.flatMap(
        attempt(waiter),
        (charge) => isDenial(charge) ? waitAndRetry(queue, waiter, charge) : Effect.succeed(charge)
      )
    })

  /** Tells it when it might have been its turn. */
  const rejectAfterTimeout = ({ lastDenial: denial, waiters }: QuotaQueue, waiter: Waiter, now: number) => {
    const wait = expectedWait(waiters.slice(0, waiters.indexOf(waiter) + 1), denial, now)
    return Effect.fail(quotaExceeded({ ...denial, waitMs: Math.max(1, wait) }))
  }

  /** Waits as long as the store said, if it has the patience. Others may have come before it meanwhile. */
  const waitAndRetry = (
    queue: QuotaQueue,
    waiter: Waiter,
    denial: QuotaDenial
  ): Effect.Effect<Charge, ProxyError.ProxyError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      queue.lastDenial = denial
      return denial.waitMs > remainingWait(waiter, now)
        ? Effect.fail(quotaExceeded(denial))
        : Effect.zipRight(Effect.sleep(denial.waitMs), Effect.suspend(() => attemptAtHead(queue, waiter)))
    })

  const tryAcquire: ClientQuotas["tryAcquire"] = (client, cost, now) => {
    const { rateLimit, name, dailyQuota } = client
    if (rateLimit === null && dailyQuota === null) return unlimitedCharge(cost)
    if (store.sync === undefined || queues.has(name)) return undefined
    const { acquire: acquireSync, consume } = store.sync
    const account = accountName(name)
    // Spending nothing tells what is left.
    if (dailyQuota !== null && consume(account, dailyQuotaRule(dailyQuota), 0, now).remaining < cost) {
      return undefined
    }
    const permit = rateLimit === null
      ? unlimited
      : acquireSync(account, rateLimitRule(rateLimit), cost, 0, now)
    if (permit._tag === "Delayed") return undefined
    const daily = dailyQuota === null ? null : consume(account, dailyQuotaRule(dailyQuota), cost, now)
    return { cost, quotas: quotaStatuses(client, { permit, daily }, now), waitMs: 0, shadowed: false }
  }

  const status: ClientQuotas["status"] = (client) => {
    const { name, dailyQuota } = client
    const daily = dailyQuota === null
      ? Effect.succeed(null)
      : Effect.map(
        store.peek(accountName(name), dailyQuotaRule(dailyQuota)),
        ({ remaining }): Consumption => ({ _tag: "Consumed", remaining })
      )
    return Effect.flatMap(
      Effect.all({ permit: acquireRate(client, 0), daily }),
      (decision) => Effect.map(Clock.currentTimeMillis, (now) => quotaStatuses(client, decision, now))
    )
  }

  return { acquire, tryAcquire, status }
}

const isDenial = (charge: Charge | QuotaDenial): charge is QuotaDenial => "isDaily" in charge

const unlimitedCharge = (cost: number): Charge => ({ cost, quotas: [], waitMs: 0, shadowed: false })
