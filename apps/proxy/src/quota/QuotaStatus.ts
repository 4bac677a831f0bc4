/** The state of a client's quotas, as rules and results of the store, and as response headers. */
import {
  type Consumption,
  dayMillis,
  type Permit,
  type Quota,
  type RateLimitRule
} from "@blockquarry/http/RateLimitStore"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { QuotaStatus } from "../exchange/Charge.ts"

export interface QuotaDecision {
  readonly permit: Permit
  readonly daily: Consumption | null
}

export const unlimited: Permit = { _tag: "Granted", trial: false, remaining: Number.POSITIVE_INFINITY }

/** Returns the name of a client's account in the store. Names of API keys are digests, so they never collide. */
export const accountName = (name: string): string => `client:${name}`

export const dailyQuotaRule = (dailyQuota: number): Quota => ({ limit: dailyQuota, period: dayMillis })

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

/** Returns the milliseconds until enough units may be available; 0 if they were. */
export const waitMsOf = ({ daily, permit }: QuotaDecision): number => {
  if (daily?._tag === "QuotaExceeded") return daily.millis
  return permit._tag === "Delayed" ? permit.millis : 0
}

export const quotaStatuses = (
  { dailyQuota, rateLimit }: Pick<AuthenticatedClient, "dailyQuota" | "rateLimit">,
  { daily, permit }: QuotaDecision,
  now: number
): ReadonlyArray<QuotaStatus> => {
  const statuses: Array<QuotaStatus> = []
  if (rateLimit !== null) {
    statuses.push({
      name: "rate",
      limit: rateLimit.limit,
      windowSeconds: Math.ceil(rateLimit.window / 1000),
      remaining: Math.floor(permit.remaining),
      resetSeconds: Math.ceil((permit._tag === "Delayed" ? permit.millis : rateLimit.window) / 1000)
    })
  }
  if (dailyQuota !== null && daily !== null) {
    statuses.push({
      name: "day",
      limit: dailyQuota,
      windowSeconds: dayMillis / 1000,
      remaining: Math.floor(daily.remaining),
      resetSeconds: Math.ceil((dayMillis - now % dayMillis) / 1000)
    })
  }
  return statuses
}

/** Returns the `RateLimit` and `RateLimit-Policy` headers, in a new object. */
export const rateLimitHeaders = (quotas: ReadonlyArray<QuotaStatus>): Record<string, string> => {
  if (quotas.length === 0) return {}
  let state = ""
  let policy = ""
  for (const { limit, name, remaining, resetSeconds, windowSeconds } of quotas) {
    const separator = state === "" ? "" : ", "
    state += `${separator}"${name}";r=${remaining};t=${resetSeconds}`
    policy += `${separator}"${name}";q=${limit};w=${windowSeconds}`
  }
  return { ratelimit: state, "ratelimit-policy": policy }
}
