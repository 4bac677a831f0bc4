/**
 * The arithmetic of accounts, in one place and without a clock: what was spent in the window of time that is now.
 * `packages/redis` does the same in Lua.
 *
 * All times are milliseconds.
 */
import type { Consumption, Quota, RemainingQuota } from "../../RateLimitStore.ts"

export interface QuotaWindow {
  /** Which window this is about, counted from 1970. */
  readonly index: number
  readonly consumed: number
  /** No more than that may be spent, whatever the limit: `Infinity` where nothing is known. */
  readonly maxConsumable: number
  /** When the window ends. */
  readonly end: number
}

interface CurrentWindow extends RemainingQuota {
  readonly quotaWindow: QuotaWindow
  /** Whether what is remembered is of a clock that was further ahead than any window can lie. */
  readonly clockMovedBack: boolean
}

/** What an account is at this time. */
const currentWindow = (
  stored: QuotaWindow | undefined,
  now: number,
  { limit, period }: Quota
): CurrentWindow => {
  const index = Math.floor(now / period)
  const end = (index + 1) * period
  // Rounding may put the end before now.
  const millis = Math.max(1, Math.ceil(end - now))
  const emptyWindow = { index, consumed: 0, maxConsumable: Number.POSITIVE_INFINITY, end }
  if (limit === Number.POSITIVE_INFINITY) {
    return { quotaWindow: stored ?? emptyWindow, remaining: limit, millis, clockMovedBack: false }
  }
  // A window that has begun ends the one before it for good: that one's account is not known any more.
  if (stored?.index === index + 1) return { quotaWindow: stored, remaining: 0, millis, clockMovedBack: false }
  // What a clock that was further ahead has counted is counted here, so that nobody waits for it to be right.
  const quotaWindow = stored === undefined || stored.index < index
    ? emptyWindow
    : { ...stored, index, end }
  return {
    quotaWindow,
    remaining: Math.max(0, Math.min(limit - quotaWindow.consumed, quotaWindow.maxConsumable)),
    millis,
    clockMovedBack: stored !== undefined && stored.index > index
  }
}

/** The account is undefined where nothing was spent and nothing is remembered. */
export const consume = (
  stored: QuotaWindow | undefined,
  now: number,
  quota: Quota,
  cost: number
): { readonly quotaWindow: QuotaWindow | undefined; readonly consumption: Consumption } => {
  const { quotaWindow, remaining, millis, clockMovedBack } = currentWindow(stored, now, quota)
  const unchanged = clockMovedBack ? quotaWindow : stored
  if (cost > remaining) {
    return { quotaWindow: unchanged, consumption: { _tag: "QuotaExceeded", remaining, millis } }
  }
  return {
    quotaWindow: cost > 0 && quota.limit < Number.POSITIVE_INFINITY
      ? {
        ...quotaWindow,
        consumed: quotaWindow.consumed + cost,
        maxConsumable: quotaWindow.maxConsumable - cost
      }
      : unchanged,
    consumption: { _tag: "Consumed", remaining: remaining - cost }
  }
}

export const peek = (stored: QuotaWindow | undefined, now: number, quota: Quota): RemainingQuota => {
  const { remaining, millis } = currentWindow(stored, now, quota)
  return { remaining, millis }
}

/** Notes what was spent elsewhere, and how much more may be spent after that. */
export const recordConsumed = (
  stored: QuotaWindow | undefined,
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

/** For so long an account is kept after its window, should the clock be set back into that. */
const retentionMargin = 3600 * 1000

/** At so many accounts those whose window is over are looked for. */
const cleanupThreshold = 10_000

export interface QuotaWindows {
  readonly get: (name: string) => QuotaWindow | undefined
  readonly set: (name: string, quotaWindow: QuotaWindow, now: number) => void
}

/** Accounts by name. Unlike a budget, none is forgotten while it counts: it would begin anew. */
export const makeQuotaWindows = (): QuotaWindows => {
  const windows = new Map<string, QuotaWindow>()
  let cleanupAt = cleanupThreshold
  return {
    get: (name) => windows.get(name),
    set: (name, quotaWindow, now) => {
      windows.set(name, quotaWindow)
      if (windows.size <= cleanupAt) return
      for (const [otherName, { end }] of windows) {
        if (now >= end + retentionMargin) windows.delete(otherName)
      }
      cleanupAt = Math.max(cleanupThreshold, 2 * windows.size)
    }
  }
}
