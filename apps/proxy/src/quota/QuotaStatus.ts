/** How a client stands with its budgets, in the words of the store and in those of headers. */
import type { Consumption, Permit, Quota, RateLimitRule } from "@blockquarry/http/RateLimitStore"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import type { QuotaStatus } from "../exchange/Charge.ts"

/** What the store said of the rate and of the day. */
export interface QuotaDecision {
  readonly permit: Permit
  readonly daily: Consumption | null
}

const dayMs = 86_400_000

/** Where a client has no rate. */
export const unlimited: Permit = { _tag: "Granted", probe: false, remaining: Number.POSITIVE_INFINITY }

/** Apart from the accounts of keys, whose names are fingerprints. */
export const accountName = (name: string): string => `client:${name}`

export const dailyQuotaRule = (dailyQuota: number): Quota => ({ limit: dailyQuota, period: dayMs })

/**
 * All of a window's units may go at once. It says nothing of the dearest operation: over Redis nobody would go before
 * there is room for that, and a small limit would have no burst. Each process has a line for each client instead.
 */
export const rateLimitRule = (
  { limit, window }: NonNullable<AuthenticatedClient["rateLimit"]>
): RateLimitRule => ({
  limit,
  window,
  burst: Math.max(1, limit)
})

/** Milliseconds until there may be enough; 0 where there was. */
export const waitMsOf = ({ daily, permit }: QuotaDecision): number => {
  if (daily?._tag === "QuotaExceeded") return daily.millis
  return permit._tag === "Delayed" ? permit.millis : 0
}

export const quotaStatuses = (
  client: AuthenticatedClient,
  { daily: today, permit }: QuotaDecision,
  now: number
): ReadonlyArray<QuotaStatus> => {
  const rateStatuses: ReadonlyArray<QuotaStatus> = client.rateLimit === null ? [] : [{
    name: "rate",
    limit: client.rateLimit.limit,
    windowSeconds: Math.ceil(client.rateLimit.window / 1000),
    remaining: Math.floor(permit.remaining),
    resetSeconds: Math.ceil((permit._tag === "Delayed" ? permit.millis : client.rateLimit.window) / 1000)
  }]
  const dailyStatuses: ReadonlyArray<QuotaStatus> = client.dailyQuota === null || today === null ? [] : [{
    name: "day",
    limit: client.dailyQuota,
    windowSeconds: dayMs / 1000,
    remaining: Math.floor(today.remaining),
    resetSeconds: Math.ceil((dayMs - now % dayMs) / 1000)
  }]
  return [...rateStatuses, ...dailyStatuses]
}

/** How a client stands, for itself to read. */
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
