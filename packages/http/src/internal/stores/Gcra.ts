/**
 * Rate limits and cooldowns as pure functions: the generic cell rate algorithm, stored as a level that leaks `limit`
 * units per `window`, and the cooldown after a 429. `packages/redis` implements the same in Lua.
 *
 * All times are in milliseconds, by a clock that is never set back.
 */

/**
 * A rate limit: `limit` units per `window` (milliseconds), with bursts of `burst` units. A limit of `Infinity` disables
 * it.
 *
 * `maxCost` is the cost of the most expensive request. Processes that share a rate limit share no queue, so every
 * request waits until `maxCost` units are available; otherwise cheap requests would starve expensive ones.
 */
export interface RateLimitRule {
  readonly limit: number
  readonly window: number
  readonly burst: number
  readonly maxCost?: number | undefined
}

/**
 * - `Granted`: the request may be sent. If `trial` is true, it is the only one after a cooldown, and all others are
 *   delayed until `settleTrial`.
 * - `Delayed`: try again after `millis`, because the rate limit is used up (`rate_limit`) or a cooldown is active
 *   (`cooldown`).
 *
 * `remaining` is the number of units that could be acquired immediately afterwards if there were no cooldown. `Infinity`
 * without a limit.
 */
export type Permit =
  | { readonly _tag: "Granted"; readonly trial: boolean; readonly remaining: number }
  | {
    readonly _tag: "Delayed"
    readonly millis: number
    readonly reason: "rate_limit" | "cooldown"
    readonly remaining: number
  }

export interface GcraState {
  /** Acquired units that have not leaked, as of `updatedAt`. */
  readonly level: number
  readonly updatedAt: number
  /** When the level last rose from 0. */
  readonly levelSince: number
  /** Number of consecutive cooldowns; 0 if none is active. */
  readonly cooldowns: number
  readonly cooldownUntil: number
  /** End of the lease of the trial in flight. */
  readonly trialUntil: number
}

const noCooldown = { cooldowns: 0, cooldownUntil: 0, trialUntil: 0 }

/** The state before the first use: the whole burst is available. */
export const initialState = (now: number): GcraState => ({
  level: 0,
  updatedAt: now,
  levelSince: now,
  ...noCooldown
})

/** The longest cooldown, even if the upstream asks for more. */
export const maxCooldown = 60_000

/** The longest time that a trial may take before it is abandoned. */
export const maxTrialLease = 61_000

/** The first cooldown if the upstream does not specify a duration. */
const initialCooldown = 1000

/** Returns the length of a cooldown after `cooldowns` consecutive ones: what the upstream asks for, or else twice the last. */
export const cooldownMillis = (requestedMillis: number | null, cooldowns: number): number =>
  Math.min(requestedMillis ?? initialCooldown * 2 ** Math.min(cooldowns, 10), maxCooldown)

/** How often requests that wait for a trial check its result. */
export const trialPollMillis = 50

/** Tolerance for accumulated rounding errors, far below one unit. */
const rounding = 1e-9

export const acquire = (
  state: GcraState,
  now: number,
  rule: RateLimitRule,
  cost: number,
  lease: number
): readonly [GcraState, Permit] => {
  const unlimited = rule.limit === Number.POSITIVE_INFINITY
  const rate = rule.limit / rule.window
  const level = unlimited ? 0 : leaked(state, now, rate)
  const remaining = unlimited ? Number.POSITIVE_INFINITY : capacityAbove(rule, level)
  const delayed = (millis: number, reason: "rate_limit" | "cooldown") =>
    [state, { _tag: "Delayed", millis, reason, remaining }] as const
  const trial = state.cooldowns > 0
  if (trial && now < state.cooldownUntil) return delayed(Math.ceil(state.cooldownUntil - now), "cooldown")
  if (trial && now < state.trialUntil) {
    return delayed(Math.min(trialPollMillis, state.trialUntil - now), "cooldown")
  }
  const trialUntil = trial ? now + Math.min(lease, maxTrialLease) : 0
  if (unlimited) return [{ ...state, trialUntil }, { _tag: "Granted", trial, remaining }]
  const room = Math.max(rule.burst, cost) - level
  if (cost > room + rounding) return delayed(Math.ceil((cost - room) / rate), "rate_limit")
  const newLevel = level + cost
  return [
    { ...state, level: newLevel, updatedAt: now, levelSince: levelSince(state, level, now), trialUntil },
    { _tag: "Granted", trial, remaining: capacityAbove(rule, newLevel) }
  ]
}

/** Returns the units that could be acquired immediately at a level. */
const capacityAbove = (rule: RateLimitRule, level: number): number => Math.max(0, rule.burst - level)

const leaked = ({ updatedAt, level }: GcraState, now: number, rate: number): number =>
  Math.max(0, level - (now - updatedAt) * rate)

const levelSince = (state: GcraState, level: number, now: number): number =>
  level === 0 ? now : state.levelSince

/**
 * Returns units that were acquired `age` milliseconds ago and not used. If the level was 0 in between, they have leaked,
 * and returning them would allow another burst.
 */
export const release = (
  state: GcraState,
  now: number,
  rule: RateLimitRule,
  cost: number,
  age: number
): readonly [GcraState, remaining: number] => {
  if (rule.limit === Number.POSITIVE_INFINITY) return [state, rule.limit]
  const level = leaked(state, now, rule.limit / rule.window)
  if (level === 0 || now - age < state.levelSince) return [state, capacityAbove(rule, level)]
  const newLevel = Math.max(0, level - cost)
  return [{ ...state, level: newLevel, updatedAt: now }, capacityAbove(rule, newLevel)]
}

export const startCooldown = (state: GcraState, now: number, millis: number | null): GcraState => {
  const inCooldown = now < state.cooldownUntil
  // Several 429 responses to concurrent requests count as one cooldown; the later ones may only extend it.
  const cooldowns = inCooldown ? state.cooldowns : state.cooldowns + 1
  const until = now + cooldownMillis(millis, cooldowns - 1)
  return { ...state, cooldowns, cooldownUntil: Math.max(state.cooldownUntil, until), trialUntil: 0 }
}

export const settleTrial = (state: GcraState, now: number, succeeded: boolean): GcraState =>
  succeeded && now >= state.cooldownUntil ? { ...state, ...noCooldown } : { ...state, trialUntil: 0 }
