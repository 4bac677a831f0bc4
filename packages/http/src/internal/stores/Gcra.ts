/**
 * The arithmetic of budgets, in one place and without a clock: the generic cell rate algorithm, kept as a level that
 * leaks `limit` units each `window`, and the pause that a 429 asks for. `packages/redis` does the same in Lua.
 *
 * All times are milliseconds.
 */
import type { Permit, RateLimitRule } from "../../RateLimitStore.ts"

export interface GcraState {
  /** Units that were taken and have not leaked away, as of `at`. */
  readonly level: number
  readonly at: number
  /** How often in a row the service said 429; 0 where nothing is paused. */
  readonly cooldowns: number
  readonly cooldownUntil: number
  /** Until when a probe is under way. */
  readonly probeUntil: number
}

const noCooldown = { cooldowns: 0, cooldownUntil: 0, probeUntil: 0 }

/** What a budget is before it is first used: all of the burst is there. */
export const initialState = (now: number): GcraState => ({ level: 0, at: now, ...noCooldown })

/** No pause is longer than this, whatever the service asks for. */
export const maxCooldown = 60_000

/** The pause where the service does not say how long, the first time. */
export const initialCooldown = 1000

/** How often those who wait for a probe look again. */
export const probePollMillis = 50

/** What rounding may add up to; far below one unit. */
const rounding = 1e-9

/** What a clock that was set back since makes of a budget: nothing lies further ahead than it can. */
const clampToNow = (state: GcraState, now: number): GcraState =>
  state.at <= now && state.cooldownUntil <= now + maxCooldown ? state : {
    ...state,
    at: Math.min(state.at, now),
    cooldownUntil: Math.min(state.cooldownUntil, now + maxCooldown)
  }

export const acquire = (
  stored: GcraState,
  now: number,
  rule: RateLimitRule,
  cost: number,
  lease: number
): { readonly state: GcraState; readonly permit: Permit } => {
  const state = clampToNow(stored, now)
  const unlimited = rule.limit === Number.POSITIVE_INFINITY
  const rate = rule.limit / rule.window
  const level = unlimited ? 0 : leaked(state, now, rate)
  const remaining = unlimited ? Number.POSITIVE_INFINITY : capacityAbove(rule, level)
  const wait = (millis: number, reason: "rate_limit" | "cooldown") =>
    ({ state, permit: { _tag: "Delayed", millis, reason, remaining } }) as const
  const probe = state.cooldowns > 0
  if (probe && now < state.cooldownUntil) return wait(Math.ceil(state.cooldownUntil - now), "cooldown")
  if (probe && now < state.probeUntil) {
    return wait(Math.min(probePollMillis, state.probeUntil - now), "cooldown")
  }
  const probeUntil = probe ? now + lease : 0
  if (unlimited) return { state: { ...state, probeUntil }, permit: { _tag: "Granted", probe, remaining } }
  const room = Math.max(rule.burst, cost) - level
  if (cost > room + rounding) return wait(Math.ceil((cost - room) / rate), "rate_limit")
  const taken = level + cost
  return {
    state: { ...state, level: taken, at: now, probeUntil },
    permit: { _tag: "Granted", probe, remaining: capacityAbove(rule, taken) }
  }
}

/** What could be taken at once over a level. */
const capacityAbove = (rule: RateLimitRule, level: number): number => Math.max(0, rule.burst - level)

const leaked = ({ at, level }: GcraState, now: number, rate: number): number =>
  Math.max(0, level - (now - at) * rate)

/** Notes what was taken elsewhere. The level is at most that of a budget whose burst is used up. */
export const recordAcquired = (
  stored: GcraState,
  now: number,
  rule: RateLimitRule,
  cost: number
): GcraState => {
  if (rule.limit === Number.POSITIVE_INFINITY) return stored
  const state = clampToNow(stored, now)
  const level = leaked(state, now, rule.limit / rule.window) + cost
  return { ...state, level: Math.min(level, rule.burst), at: now }
}

export const startCooldown = (stored: GcraState, now: number, millis: number | null): GcraState => {
  const state = clampToNow(stored, now)
  const inCooldown = now < state.cooldownUntil
  // Of many answers to requests that went out together, the first counts as a further refusal; the others only lengthen.
  const cooldowns = inCooldown ? state.cooldowns : state.cooldowns + 1
  const length = Math.min(millis ?? initialCooldown * 2 ** Math.min(cooldowns - 1, 10), maxCooldown)
  return { ...state, cooldowns, cooldownUntil: Math.max(state.cooldownUntil, now + length), probeUntil: 0 }
}

export const settleProbe = (stored: GcraState, now: number, succeeded: boolean): GcraState => {
  const state = clampToNow(stored, now)
  return succeeded && now >= state.cooldownUntil ? { ...state, ...noCooldown } : { ...state, probeUntil: 0 }
}
