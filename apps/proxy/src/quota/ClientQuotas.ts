/**
 * Rate limits of clients, and their quotas per day and month.
 *
 * Requests over the rate limit are queued per client for a short time. The headers `RateLimit` and `RateLimit-Policy`
 * report the remaining units (draft-ietf-httpapi-ratelimit-headers).
 */
import { formatRetryDelay } from "@blockquarry/core/OperationError"
import type * as SteadyClock from "@blockquarry/http/gateway/SteadyClock"
import type { RateLimitStoreService } from "@blockquarry/http/RateLimitStore"
import * as Completed from "@blockquarry/server/Completed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { Config, Cost } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { Charge } from "../exchange/Reservation.ts"
import * as Charging from "./Charging.ts"
import { rateLimitHeaders, rateLimitRule } from "./QuotaStatus.ts"

export interface ClientQuotas extends Pick<Charging.Charging, "status"> {
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
}

type QuotaRejection = Charging.QuotaRejection

/** A request that may wait in the queue. */
interface Waiter extends Charging.ChargedRequest {
  readonly maxWaitMs: number
  /** Opens when the request is at the head. Null unless it waits for that. */
  atHead: Effect.Latch | null
}

/**
 * The queue of one client. Only its head uses the store. A waiter leaves when its `maxWait` ends, unless a response of the
 * store is pending, which may be a charge. Waiters with a shorter `maxWait` come first, so that lists yield to single
 * requests; equal ones keep their arrival order.
 */
interface QuotaQueue {
  readonly waiters: Array<Waiter>
  lastRejection: QuotaRejection
}

export const make = (
  { maxQueue, maxWait, mode }: Config["quotas"],
  store: RateLimitStoreService,
  clock: SteadyClock.SteadyClock,
  fork: (effect: Effect.Effect<unknown>) => unknown
): ClientQuotas => {
  const { attempt, status } = Charging.make(mode, store, clock, fork)
  const queues = new Map<string, QuotaQueue>()
  const steadyNow = () => clock.unsafeCurrentTimeMillis()

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
        const charge = yield* attempt(waiter, clock.system.unsafeCurrentTimeMillis())
        if (!isRejection(charge)) return charge
        rejection = charge
      }
    })

  return { acquire, status }
}

const initialRejection: QuotaRejection = { waitMs: 0, exceeded: null, quotas: [] }

const isRejection = (charge: Charge | QuotaRejection): charge is QuotaRejection => "exceeded" in charge

const unlimitedCharge = (price: number): Charge => ({
  price,
  quotas: [],
  waitMs: 0,
  shadowed: false,
  correct: () => {},
  refund: Effect.succeed([])
})

const remainingWait = ({ startedAt, maxWaitMs }: Waiter, now: number): number => startedAt + maxWaitMs - now

/** Waits until the request is at the head or its `maxWait` ends. Returns whether it is at the head. */
const waitUntilHead = (queue: QuotaQueue, waiter: Waiter, now: number): Effect.Effect<boolean> => {
  if (queue.waiters[0] === waiter) return Effect.succeed(true)
  waiter.atHead = Effect.unsafeMakeLatch()
  const duration = Math.max(0, remainingWait(waiter, now))
  return Effect.interruptible(
    Effect.timeoutTo(waiter.atHead.await, { duration, onSuccess: () => true, onTimeout: () => false })
  )
}

/** Returns the expected wait of the last waiter. At the start of a new day or month all waiters proceed. */
const expectedWait = (
  waiters: ReadonlyArray<Waiter>,
  { exceeded }: QuotaRejection,
  now: number
): number => {
  const [head, ...others] = waiters
  if (head === undefined) return 0
  const waitMs = Math.max(0, head.readyAt - now)
  const { rateLimit } = head.client
  if (rateLimit === null || exceeded !== null) return waitMs
  const { burst, window } = rateLimitRule(rateLimit)
  // The rate cost of each request must leak away before the next one fits. One above the burst waits for an empty level.
  const cost = others.reduce(
    (sum, next, index) =>
      sum + Math.max(burst, waiters[index]?.rateCost ?? 0) - Math.max(0, burst - next.rateCost),
    0
  )
  return waitMs + Math.ceil(cost * window / rateLimit.limit)
}

const quotaExceeded = (rejection: QuotaRejection): ProxyError.ProxyError => {
  const headers = rejectionHeaders(rejection)
  if (rejection.exceeded === null) {
    const message = `client rate limit exceeded; retry in ${waitText(rejection)}`
    return ProxyError.make("client-rate-limited", message, headers)
  }
  const { description, resets } = rejection.exceeded
  return ProxyError.make("client-quota-exceeded", `${description} exceeded; it resets ${resets}`, headers)
}

const queueFull = (rejection: QuotaRejection): ProxyError.ProxyError =>
  ProxyError.make(
    "client-rate-limited",
    `too many requests of this client are queued (quotas.maxQueue); retry in ${waitText(rejection)}`,
    rejectionHeaders(rejection)
  )

const waitSeconds = ({ waitMs }: QuotaRejection): number => Math.max(1, Math.ceil(waitMs / 1000))

const waitText = (rejection: QuotaRejection) => formatRetryDelay(Duration.seconds(waitSeconds(rejection)))

/** Returns `Retry-After`, and the state of the quotas. The exceeded one resets after the same time, of at least 1 s. */
const rejectionHeaders = (rejection: QuotaRejection): Readonly<Record<string, string>> => {
  const { exceeded, quotas } = rejection
  const seconds = waitSeconds(rejection)
  const name = exceeded?.name ?? "rate"
  return {
    ...rateLimitHeaders(
      quotas.map((quota) => quota.name === name ? { ...quota, resetSeconds: seconds } : quota)
    ),
    ...ProxyError.retryAfterHeader(Duration.seconds(seconds))
  }
}
