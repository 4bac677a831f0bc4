/** The state of a client's quotas, as rules and results of the store, and as response headers. */
import { type Consumption, type Permit, type RateLimitRule, windowOf } from "@blockquarry/http/RateLimitStore"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { QuotaStatus } from "../exchange/Reservation.ts"

export interface QuotaDecision {
  readonly permit: Permit
  /** Of the quotas of the client per day and month. */
  readonly consumption: Consumption
}

export const unlimited: Permit = { _tag: "Granted", trial: false, remaining: Number.POSITIVE_INFINITY }

export const noConsumption: Consumption = { _tag: "Consumed", remaining: [] }

/** Returns the id of a client's rate limit in the store. Names of API keys are digests, so they never collide. */
export const accountName = (name: string): string => `client:${name}`

/**
 * Returns the rule of a client's rate limit. The burst is the whole window.
 *
 * The rule has no `maxCost`: with Redis, every request would wait until the most expensive operation fits, and a small
 * limit would allow no burst. Each process has a queue per client instead.
 */
export const rateLimitRule = (
  { limit, window }: NonNullable<AuthenticatedClient["rateLimit"]>
): RateLimitRule => ({
  limit,
  window,
  burst: Math.max(1, limit)
})

export const quotaStatuses = (
  { quotas, rateLimit }: Pick<AuthenticatedClient, "quotas" | "rateLimit">,
  { consumption, permit }: QuotaDecision,
  now: number
): ReadonlyArray<QuotaStatus> => {
  const statuses: Array<QuotaStatus> = []
  if (rateLimit !== null) {
    statuses.push({
      name: "rate",
      limit: rateLimit.limit,
      soft: null,
      windowSeconds: Math.ceil(rateLimit.window / 1000),
      remaining: Math.floor(permit.remaining),
      resetSeconds: Math.ceil((permit._tag === "Delayed" ? permit.millis : rateLimit.window) / 1000),
      rejects: true,
      warns: false
    })
  }
  for (const [index, { name, quota, soft, warnAt }] of quotas.entries()) {
    const remaining = consumption.remaining[index] ?? 0
    const { end, start } = windowOf(quota.period, now)
    statuses.push({
      name,
      limit: quota.limit,
      soft: warnAt < 0 ? null : quota.limit - warnAt,
      windowSeconds: (end - start) / 1000,
      remaining: Math.floor(remaining),
      resetSeconds: Math.ceil((end - now) / 1000),
      rejects: soft !== true,
      warns: remaining <= warnAt
    })
  }
  return statuses
}

/**
 * The longest `Retry-After`, in seconds. Clients such as urllib3 and got sleep for it however long it is, and above 2^31 ms
 * their timers end at once.
 */
const maxRetryAfter = 60

/** Replaces a longer `Retry-After` by an item of `RateLimit`, which `RawResponse.retryDelay` reads. */
export const withBoundedRetryAfter = (headers: Record<string, string>): Record<string, string> => {
  if (Number(headers["retry-after"] ?? 0) <= maxRetryAfter) return headers
  const { ratelimit, "retry-after": seconds, ...others } = headers
  const wait = `"retry";r=0;t=${seconds}`
  return { ...others, ratelimit: ratelimit === undefined ? wait : `${ratelimit}, ${wait}` }
}

/**
 * Returns the `RateLimit`, `RateLimit-Policy` and `X-Quota-Warning` headers, in a new object. What other clients use is not the
 * client's business, and one that obeys `RateLimit` must not wait for a quota that does not reject.
 */
export const rateLimitHeaders = (quotas: ReadonlyArray<QuotaStatus>): Record<string, string> => {
  if (quotas.length === 0) return {}
  let state = ""
  let policy = ""
  let warning = ""
  for (const { limit, name, remaining, rejects, resetSeconds, warns, windowSeconds } of quotas) {
    if (name === "all-day" || name === "all-month") continue
    if (warns) warning += `${warning === "" ? "" : ", "}${name}`
    if (!rejects) continue
    const separator = state === "" ? "" : ", "
    state += `${separator}"${name}";r=${remaining};t=${resetSeconds}`
    policy += `${separator}"${name}";q=${limit};w=${windowSeconds}`
  }
  const headers = state === "" ? {} : { ratelimit: state, "ratelimit-policy": policy }
  return warning === "" ? headers : { ...headers, "x-quota-warning": warning }
}
