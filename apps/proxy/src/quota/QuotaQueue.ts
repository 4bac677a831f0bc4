/** The line in which one client's requests wait for its budget. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { QuotaStatus } from "../exchange/Charge.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import { rateLimitHeaders, rateLimitRule } from "./QuotaStatus.ts"

/** A request that wants its units. */
export interface Waiter {
  readonly client: AuthenticatedClient
  readonly cost: number
  readonly startedAt: number
  readonly maxWaitMs: number
  /** When it may go, as the store said last. */
  readyAt: number
  /** Tells it that it is the first now. */
  notifyHead: () => void
}

/**
 * The line of one client. The first asks the store; everybody leaves when its own patience ends, but for an answer of
 * the store that is under way: that may be a charge. Who has less patience goes first, so that lists wait until nobody
 * else does; among equals, who came first.
 */
export interface QuotaQueue {
  readonly waiters: Array<Waiter>
  /** What the store said last. */
  lastDenial: QuotaDenial
}

/** That there is nothing to be had for a while. */
export interface QuotaDenial {
  readonly waitMs: number
  readonly isDaily: boolean
  readonly quotas: ReadonlyArray<QuotaStatus>
}

/** Before the store said anything. */
export const initialDenial: QuotaDenial = { waitMs: 0, isDaily: false, quotas: [] }

/** How much longer it waits. */
export const remainingWait = ({ startedAt, maxWaitMs }: Waiter, now: number): number =>
  startedAt + maxWaitMs - now

/** Until it is the first, or its patience ends: whether it is. */
export const waitUntilHead = (queue: QuotaQueue, waiter: Waiter): Effect.Effect<boolean> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (queue.waiters[0] === waiter) return Effect.succeed(true)
    const notified = Effect.async<void>((resume) => {
      waiter.notifyHead = () => resume(Effect.void)
      if (queue.waiters[0] === waiter) waiter.notifyHead()
    })
    const duration = Math.max(0, remainingWait(waiter, now))
    return Effect.timeoutTo(notified, { duration, onSuccess: () => true, onTimeout: () => false })
  })

/** After how long it may be the turn of the last of these. Where they wait for a new day, all go when it begins. */
export const expectedWait = (
  waiters: ReadonlyArray<Waiter>,
  { isDaily }: QuotaDenial,
  now: number
): number => {
  const [head, ...others] = waiters
  if (head === undefined) return 0
  const waitMs = Math.max(0, head.readyAt - now)
  const { rateLimit } = head.client
  if (rateLimit === null || isDaily) return waitMs
  const { burst, window } = rateLimitRule(rateLimit)
  // What one takes must leak away until there is room for the next. One that takes more than the burst waits for all.
  const cost = others.reduce(
    (sum, next, index) => sum + Math.max(burst, waiters[index]?.cost ?? 0) - Math.max(0, burst - next.cost),
    0
  )
  return waitMs + Math.ceil(cost * window / rateLimit.limit)
}

export const quotaExceeded = ({ quotas, isDaily, waitMs }: QuotaDenial): ProxyError.ProxyError =>
  ProxyError.make(
    "over-budget",
    isDaily
      ? "your budget for today is used up; it is there again at midnight UTC"
      : "you ask faster than your budget allows",
    { ...rateLimitHeaders(quotas), ...ProxyError.retryAfterHeader(Duration.millis(waitMs)) }
  )

export const queueFull = (quotas: ReadonlyArray<QuotaStatus>): ProxyError.ProxyError =>
  ProxyError.make(
    "over-budget",
    "too many of your requests wait for your budget already; ask fewer at once",
    { ...rateLimitHeaders(quotas), ...ProxyError.retryAfterHeader(Duration.seconds(1)) }
  )
