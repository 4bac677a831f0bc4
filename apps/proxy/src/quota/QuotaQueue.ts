/** The queue in which requests of one client wait for its rate limit. */
import { formatRetryDelay } from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AppliedQuota } from "../auth/AppliedQuotas.ts"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { QuotaStatus } from "../exchange/Reservation.ts"
import { rateLimitHeaders, rateLimitRule } from "./QuotaStatus.ts"

/** A queued request. Times are steady: see `SteadyClock`. */
export interface Waiter {
  readonly client: AuthenticatedClient
  readonly price: number
  readonly rateCost: number
  readonly startedAt: number
  readonly maxWaitMs: number
  /** Time at which the store expects to grant the request. */
  readyAt: number
  /** Opens when the request is at the head. Null unless it waits for that. */
  atHead: Effect.Latch | null
}

/**
 * The queue of one client. Only its head uses the store. A waiter leaves when its `maxWait` ends, unless a response of the
 * store is pending, which may be a charge. Waiters with a shorter `maxWait` come first, so that lists yield to single
 * requests; equal ones keep their arrival order.
 */
export interface QuotaQueue {
  readonly waiters: Array<Waiter>
  lastRejection: QuotaRejection
}

export interface QuotaRejection {
  readonly waitMs: number
  /** Null: the rate limit. */
  readonly exceeded: AppliedQuota | null
  readonly quotas: ReadonlyArray<QuotaStatus>
}

export const remainingWait = ({ startedAt, maxWaitMs }: Waiter, now: number): number =>
  startedAt + maxWaitMs - now

/** Waits until the request is at the head or its `maxWait` ends. Returns whether it is at the head. */
export const waitUntilHead = (queue: QuotaQueue, waiter: Waiter, now: number): Effect.Effect<boolean> => {
  if (queue.waiters[0] === waiter) return Effect.succeed(true)
  waiter.atHead = Effect.unsafeMakeLatch()
  const duration = Math.max(0, remainingWait(waiter, now))
  return Effect.interruptible(
    Effect.timeoutTo(waiter.atHead.await, { duration, onSuccess: () => true, onTimeout: () => false })
  )
}

/** Returns the expected wait of the last waiter. At the start of a new day or month all waiters proceed. */
export const expectedWait = (
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

export const quotaExceeded = (rejection: QuotaRejection): ProxyError.ProxyError => {
  const headers = rejectionHeaders(rejection)
  if (rejection.exceeded === null) {
    const message = `client rate limit exceeded; retry in ${waitText(rejection)}`
    return ProxyError.make("client-rate-limited", message, headers)
  }
  const { description, resets } = rejection.exceeded
  return ProxyError.make("client-quota-exceeded", `${description} exceeded; it resets ${resets}`, headers)
}

export const queueFull = (rejection: QuotaRejection): ProxyError.ProxyError =>
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
