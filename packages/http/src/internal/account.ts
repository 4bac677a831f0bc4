/**
 * The arithmetic of accounts, in one place and without a clock: what was spent in the window of time that is now.
 * `packages/redis` does the same in Lua.
 *
 * All times are milliseconds.
 */
import type { Cap, Remaining, Spent } from "../RateLimitStore.ts"

export interface Account {
  /** Which window this is about, counted from 1970. */
  readonly window: number
  readonly spent: number
  /** No more than that may be spent, whatever the limit: `Infinity` where nothing is known. */
  readonly most: number
  /** When the window ends. */
  readonly end: number
}

interface Now extends Remaining {
  readonly account: Account
  /** Whether what is remembered is of a clock that was further ahead than any window can lie. */
  readonly moved: boolean
}

/** What an account is at this time. */
const at = (remembered: Account | undefined, now: number, { limit, period }: Cap): Now => {
  const window = Math.floor(now / period)
  const end = (window + 1) * period
  // Rounding may put the end before now.
  const millis = Math.max(1, Math.ceil(end - now))
  const begun = { window, spent: 0, most: Number.POSITIVE_INFINITY, end }
  if (limit === Number.POSITIVE_INFINITY) {
    return { account: remembered ?? begun, left: limit, millis, moved: false }
  }
  // A window that has begun ends the one before it for good: that one's account is not known any more.
  if (remembered?.window === window + 1) return { account: remembered, left: 0, millis, moved: false }
  // What a clock that was further ahead has counted is counted here, so that nobody waits for it to be right.
  const account = remembered === undefined || remembered.window < window
    ? begun
    : { ...remembered, window, end }
  return {
    account,
    left: Math.max(0, Math.min(limit - account.spent, account.most)),
    millis,
    moved: remembered !== undefined && remembered.window > window
  }
}

/** The account is undefined where nothing was spent and nothing is remembered. */
export const spend = (
  remembered: Account | undefined,
  now: number,
  cap: Cap,
  cost: number
): { readonly account: Account | undefined; readonly spent: Spent } => {
  const { account, left, millis, moved } = at(remembered, now, cap)
  const same = moved ? account : remembered
  if (cost > left) return { account: same, spent: { _tag: "UsedUp", left, millis } }
  return {
    account: cost > 0 && cap.limit < Number.POSITIVE_INFINITY
      ? { ...account, spent: account.spent + cost, most: account.most - cost }
      : same,
    spent: { _tag: "Spent", left: left - cost }
  }
}

export const look = (remembered: Account | undefined, now: number, cap: Cap): Remaining => {
  const { left, millis } = at(remembered, now, cap)
  return { left, millis }
}

/** Notes what was spent elsewhere, and how much more may be spent after that. */
export const charge = (
  remembered: Account | undefined,
  now: number,
  cap: Cap,
  cost: number,
  most: number
): Account => {
  const { account } = at(remembered, now, cap)
  return cap.limit === Number.POSITIVE_INFINITY ? account : { ...account, spent: account.spent + cost, most }
}

/** For so long an account is kept after its window, should the clock be set back into that. */
const margin = 3600 * 1000

/** At so many accounts those whose window is over are looked for. */
const many = 10_000

export interface Book {
  readonly find: (name: string) => Account | undefined
  readonly enter: (name: string, account: Account, now: number) => void
}

/** Accounts by name. Unlike a budget, none is forgotten while it counts: it would begin anew. */
export const book = (): Book => {
  const accounts = new Map<string, Account>()
  let room = many
  return {
    find: (name) => accounts.get(name),
    enter: (name, account, now) => {
      accounts.set(name, account)
      if (accounts.size <= room) return
      for (const [other, { end }] of accounts) {
        if (now >= end + margin) accounts.delete(other)
      }
      room = Math.max(many, 2 * accounts.size)
    }
  }
}
