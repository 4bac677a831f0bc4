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

/** The results of the store for the rate limit and the daily quota of a client. */
export interface QuotaDecision {
  readonly permit: Permit
  readonly daily: Consumption | null
}

/** The permit of a client without a rate limit. */
export const unlimited: Permit = { _tag: "Granted", probe: false, remaining: Number.POSITIVE_INFINITY }

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
  client: AuthenticatedClient,
  { daily, permit }: QuotaDecision,
  now: number
): ReadonlyArray<QuotaStatus> => {
  const rateStatuses: ReadonlyArray<QuotaStatus> = client.rateLimit === null ? [] : [{
    name: "rate",
    limit: client.rateLimit.limit,
    windowSeconds: Math.ceil(client.rateLimit.window / 1000),
    remaining: Math.floor(permit.remaining),
    resetSeconds: Math.ceil((permit._tag === "Delayed" ? permit.millis : client.rateLimit.window) / 1000)
  }]
  const dailyStatuses: ReadonlyArray<QuotaStatus> = client.dailyQuota === null || daily === null ? [] : [{
    name: "day",
    limit: client.dailyQuota,
    windowSeconds: dayMillis / 1000,
    remaining: Math.floor(daily.remaining),
    resetSeconds: Math.ceil((dayMillis - now % dayMillis) / 1000)
  }]
  return [...rateStatuses, ...dailyStatuses]
}

/** Returns the `RateLimit` and `RateLimit-Policy` headers. */
export const rateLimitHeaders = (quotas: ReadonlyArray<QuotaStatus>): Readonly<Record<string, string>> =>
  quotas.length === 0 ? {} : {
    ratelimit: quotas.map(({ remaining, name, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(", "),
    "ratelimit-policy": quotas.map(({ limit, name, windowSeconds }) =>
      `"${name}";q=${limit};w=${windowSeconds}`
    ).join(
      ", "
    )
  }
