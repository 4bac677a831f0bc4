/**
 * Quotas as pure functions: the units that were consumed in the current window. `packages/redis` implements the same in
 * Lua.
 *
 * All times are in milliseconds.
 */

/** The period of a daily quota: a UTC day in milliseconds. */
export const dayMillis = 86_400_000

/** A period of a month in UTC, which begins on a day from 1 to 28. */
export interface Month {
  readonly firstDay: number
}

/**
 * A quota: `limit` units in each window of `period` milliseconds (at most a year), or in each month. Windows are aligned to
 * 1970-01-01 UTC, so a period of 86400000 is a UTC day. A limit of `Infinity` disables the quota, and nothing is counted.
 *
 * The limit of a quota may change at any time. A quota with another period needs another id.
 */
export interface Quota {
  readonly limit: number
  readonly period: number | Month
}

/** Returns the number of the window at a time. */
const windowAt = (period: Quota["period"], time: number): number => {
  if (typeof period === "number") return Math.floor(time / period)
  const date = new Date(time - (period.firstDay - 1) * dayMillis)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Returns when the window of a time begins and ends. */
export const windowOf = (
  period: Quota["period"],
  time: number
): { readonly start: number; readonly end: number } => {
  const window = windowAt(period, time)
  return { start: startOf(period, window), end: startOf(period, window + 1) }
}

const startOf = (period: Quota["period"], window: number): number =>
  typeof period === "number"
    ? window * period
    : Date.UTC(Math.floor(window / 12), window % 12, period.firstDay)

/** The units that remain in the current window, which ends after `millis`. */
export interface RemainingQuota {
  readonly remaining: number
  readonly millis: number
}

/** What was consumed from one quota. `exceeded`: fewer units remain than requested, and none were consumed. */
export interface WindowConsumption extends RemainingQuota {
  readonly exceeded: boolean
}

export interface QuotaWindow {
  /** The number of the window. */
  readonly index: number
  readonly consumed: number
  /** At most this much may be consumed in addition, even if the limit allows more. `Infinity` if unknown. */
  readonly maxConsumable: number
}

export type Stored = QuotaWindow | undefined

const currentWindow = (
  stored: Stored,
  now: number,
  { limit, period }: Quota
): RemainingQuota & { readonly quotaWindow: QuotaWindow; readonly ended?: true } => {
  const index = windowAt(period, now)
  const end = startOf(period, index + 1)
  // Rounding may put the end before now.
  const millis = Math.max(1, Math.ceil(end - now))
  const emptyWindow = { index, consumed: 0, maxConsumable: Number.POSITIVE_INFINITY }
  if (limit === Number.POSITIVE_INFINITY) {
    return { quotaWindow: stored ?? emptyWindow, remaining: limit, millis }
  }
  // The clock went back into the last day of the previous window, whose consumption is no longer known.
  if (stored?.index === index + 1 && millis <= dayMillis) {
    return { quotaWindow: stored, remaining: 0, millis, ended: true }
  }
  // The stored window is further ahead: count it as this window instead of blocking until the clock catches up.
  const quotaWindow = stored === undefined || stored.index < index
    ? emptyWindow
    : { ...stored, index }
  return { quotaWindow, remaining: remainingIn(quotaWindow, limit), millis }
}

const remainingIn = ({ consumed, maxConsumable }: QuotaWindow, limit: number): number =>
  Math.max(0, Math.min(limit - consumed, maxConsumable))

/** Consumes units. With `soft` also beyond the limit. */
export const consume = (
  stored: Stored,
  now: number,
  quota: Quota,
  cost: number,
  soft = false
): readonly [Stored, WindowConsumption] => {
  const { ended, millis, quotaWindow, remaining } = currentWindow(stored, now, quota)
  const exceeded = cost > remaining && !soft
  if (exceeded || cost === 0 || ended || quota.limit === Number.POSITIVE_INFINITY) {
    // A stored window in the future becomes the current one.
    return [stored && stored.index > quotaWindow.index ? quotaWindow : stored, {
      exceeded,
      remaining,
      millis
    }]
  }
  const next = {
    ...quotaWindow,
    consumed: quotaWindow.consumed + cost,
    maxConsumable: quotaWindow.maxConsumable - cost
  }
  return [next, { exceeded, remaining: remainingIn(next, quota.limit), millis }]
}

/**
 * Returns units that were consumed `age` milliseconds ago, unless another window has begun since. A negative number consumes
 * more, also beyond the limit: a request had a higher price than expected. With an infinite limit nothing is counted.
 */
export const refund = (
  stored: Stored,
  now: number,
  quota: Quota,
  cost: number,
  age: number
): readonly [Stored, remaining: number] => {
  const { quotaWindow, remaining } = currentWindow(stored, now, quota)
  if (
    quota.limit === Number.POSITIVE_INFINITY || quotaWindow.consumed === 0 && cost > 0 ||
    windowAt(quota.period, now - age) !== quotaWindow.index
  ) return [stored, remaining]
  const refunded = {
    ...quotaWindow,
    consumed: Math.max(0, quotaWindow.consumed - cost),
    maxConsumable: quotaWindow.maxConsumable + cost
  }
  return [refunded, remainingIn(refunded, quota.limit)]
}

export const peek = (stored: Stored, now: number, quota: Quota): RemainingQuota => {
  const { remaining, millis } = currentWindow(stored, now, quota)
  return { remaining, millis }
}

/** Records units that were consumed from the shared store, and how much more may be consumed locally. */
export const recordConsumed = (
  stored: Stored,
  now: number,
  quota: Quota,
  cost: number,
  maxConsumable: number
): QuotaWindow => {
  const { quotaWindow } = currentWindow(stored, now, quota)
  return quota.limit === Number.POSITIVE_INFINITY
    ? quotaWindow
    : { ...quotaWindow, consumed: quotaWindow.consumed + cost, maxConsumable }
}
