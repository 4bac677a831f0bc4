/**
 * The arithmetic of budgets, in one place and without a clock: the generic cell rate algorithm, kept as a level that
 * leaks `limit` units each `window`, and the pause that a 429 asks for. `packages/redis` does the same in Lua.
 *
 * All times are milliseconds.
 */
import type { Rule, Turn } from "../RateLimitStore.ts"

export interface Budget {
  /** Units that were taken and have not leaked away, as of `at`. */
  readonly level: number
  readonly at: number
  /** How often in a row the service said 429; 0 where nothing is paused. */
  readonly pauses: number
  readonly pausedUntil: number
  /** Until when a probe is under way. */
  readonly probeUntil: number
}

const notPaused = { pauses: 0, pausedUntil: 0, probeUntil: 0 }

/** What a budget is before it is first used: all of the burst is there. */
export const unused = (now: number): Budget => ({ level: 0, at: now, ...notPaused })

/** No pause is longer than this, whatever the service asks for. */
export const longestPause = 60_000

/** The pause where the service does not say how long, the first time. */
export const firstPause = 1000

/** How often those who wait for a probe look again. */
export const look = 50

/** What rounding may add up to; far below one unit. */
const rounding = 1e-9

/** What a clock that was set back since makes of a budget: nothing lies further ahead than it can. */
const forward = (budget: Budget, now: number): Budget =>
  budget.at <= now && budget.pausedUntil <= now + longestPause ? budget : {
    ...budget,
    at: Math.min(budget.at, now),
    pausedUntil: Math.min(budget.pausedUntil, now + longestPause)
  }

export const take = (
  remembered: Budget,
  now: number,
  rule: Rule,
  cost: number,
  lease: number
): { readonly budget: Budget; readonly turn: Turn } => {
  const budget = forward(remembered, now)
  const unlimited = rule.limit === Number.POSITIVE_INFINITY
  const rate = rule.limit / rule.window
  const level = unlimited ? 0 : leaked(budget, now, rate)
  const left = unlimited ? Number.POSITIVE_INFINITY : roomOver(rule, level)
  const wait = (millis: number, reason: "rate" | "pause") =>
    ({ budget, turn: { _tag: "Wait", millis, reason, left } }) as const
  const probe = budget.pauses > 0
  if (probe && now < budget.pausedUntil) return wait(Math.ceil(budget.pausedUntil - now), "pause")
  if (probe && now < budget.probeUntil) return wait(Math.min(look, budget.probeUntil - now), "pause")
  const probeUntil = probe ? now + lease : 0
  if (unlimited) return { budget: { ...budget, probeUntil }, turn: { _tag: "Go", probe, left } }
  const room = Math.max(rule.burst, cost) - level
  if (cost > room + rounding) return wait(Math.ceil((cost - room) / rate), "rate")
  const taken = level + cost
  return {
    budget: { ...budget, level: taken, at: now, probeUntil },
    turn: { _tag: "Go", probe, left: roomOver(rule, taken) }
  }
}

/** What could be taken at once over a level. */
const roomOver = (rule: Rule, level: number): number => Math.max(0, rule.burst - level)

const leaked = ({ at, level }: Budget, now: number, rate: number): number =>
  Math.max(0, level - (now - at) * rate)

/** Notes what was taken elsewhere. The level is at most that of a budget whose burst is used up. */
export const charge = (remembered: Budget, now: number, rule: Rule, cost: number): Budget => {
  if (rule.limit === Number.POSITIVE_INFINITY) return remembered
  const budget = forward(remembered, now)
  const level = leaked(budget, now, rule.limit / rule.window) + cost
  return { ...budget, level: Math.min(level, rule.burst), at: now }
}

export const pause = (remembered: Budget, now: number, millis: number | null): Budget => {
  const budget = forward(remembered, now)
  const paused = now < budget.pausedUntil
  // Of many answers to requests that went out together, the first counts as a further refusal; the others only lengthen.
  const pauses = paused ? budget.pauses : budget.pauses + 1
  const length = Math.min(millis ?? firstPause * 2 ** Math.min(pauses - 1, 10), longestPause)
  return { ...budget, pauses, pausedUntil: Math.max(budget.pausedUntil, now + length), probeUntil: 0 }
}

export const settle = (remembered: Budget, now: number, passed: boolean): Budget => {
  const budget = forward(remembered, now)
  return passed && now >= budget.pausedUntil ? { ...budget, ...notPaused } : { ...budget, probeUntil: 0 }
}
