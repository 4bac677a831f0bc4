/**
 * The API keys at a base URL: which may be used, in which order, and what responses show about them. Decides with a time that
 * it is told; it sends nothing and waits for nothing.
 *
 * Keys are used in turn; those without a queue come first, and those in cooldown last. Each is tried once for an attempt, even of
 * an update, because the rejected request had no effect.
 *
 * A key is put in cooldown when the upstream rejects it, reports its plan as exhausted, or throttles it. The last key without
 * a cooldown gets none for a rejection, because the cause may be the request. Processes that share a store also share the
 * cooldowns of throttled keys: see `RateLimitStore`.
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Order from "effect/Order"
import * as LruMap from "../../gateway/LruMap.ts"
import type { SteadyClock } from "../../gateway/SteadyClock.ts"
import {
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type CallKey,
  type CallPlan,
  healthOf,
  retryAfterMillisOf
} from "../call/Call.ts"
import { getOrInsert } from "../Maps.ts"
import { cooldownMillis, maxCooldown } from "../stores/Gcra.ts"

/** The health of an API key that was used at a base URL. */
export interface KeyHealth {
  readonly label: string
  readonly state: "ready" | "cooldown"
  /**
   * The last problem with the key: rejected, plan quota exceeded, or throttled. Null if the last response was
   * successful.
   */
  readonly reason: "rejected" | "quota-exceeded" | "throttled" | null
  /** End of the cooldown, in milliseconds since 1970. Null if there is none. */
  readonly cooldownUntil: number | null
}

type Reason = NonNullable<KeyHealth["reason"]>

/** Times are in milliseconds, by a clock that is never set back. */
interface KeyState extends Pick<CallKey, "label" | "isReplaced"> {
  /** The last problem with the key, if any, and the number of consecutive cooldowns. */
  reason: Reason | null
  cooldowns: number
  until: number
  /** Until when the daily quota of this program is exhausted. */
  quotaExhaustedUntil: number
  /** A number that grows with each use of a key. */
  lastUse: number
}

/** A log line about a key. */
export interface KeyChange {
  readonly level: LogLevel.LogLevel
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

export class KeyStates {
  // Evicts keys that were not used for long, of very many.
  readonly states = LruMap.make<KeyState>({ maxSize: 10_000 })
  private uses = 0

  /** Records that the daily quota of a key is exhausted. */
  exhaust(key: CallKey, until: number): void {
    this.of(key).quotaExhaustedUntil = until
  }

  /** Chooses one of several keys to try next, if one is left. `best` is the result of those that failed. */
  choose(
    keys: CallPlan["keys"],
    outcomes: ReadonlyMap<CallKey, unknown>,
    best: AttemptResult | null,
    waitOf: (key: CallKey) => number,
    now: number
  ): CallKey | undefined {
    const left = keys.filter((key) => outcomes.get(key) !== "failed")
    const ready = left.filter((key) => this.of(key).until <= now)
    // Prefers other keys while the daily quota of one is exhausted.
    const wait = (key: CallKey) => this.of(key).quotaExhaustedUntil > now ? maxCooldown : waitOf(key)
    const waits = new Map(ready.map((key) => [key, wait(key)]))
    const throttled = left.filter((key) => this.of(key).reason === "throttled")
    // Without one that is ready: a throttled one, or any if none has failed.
    const cooling = best !== null && rank(best) === throttledRank
      ? []
      : throttled.length > 0 || best !== null
      ? throttled
      : left
    const [key] = ready.length > 0
      ? ready.toSorted((a, b) =>
        (waits.get(a) ?? 0) - (waits.get(b) ?? 0) || this.of(a).lastUse - this.of(b).lastUse
      )
      : cooling.toSorted((a, b) => this.of(a).until - this.of(b).until)
    if (key !== undefined) this.of(key).lastUse = this.uses += 1
    return key
  }

  /** Starts or ends a cooldown after a response. Returns what changed, or null. */
  record(
    { keys, upstream: { keySource } }: Pick<CallPlan, "keys" | "upstream">,
    key: CallKey,
    response: AttemptResponse,
    now: number
  ): KeyChange | null {
    const state = this.of(key)
    if (key.isReplaced()) return null
    const reason = keyProblemOf(response)
    if (reason === null) {
      // Ignores responses to requests that were sent before the cooldown.
      if (state.reason === null || response.health !== "healthy" || now < state.until) return null
      state.reason = null
      state.cooldowns = 0
      return { level: LogLevel.Info, message: "key available again", annotations: {} }
    }
    const millis = cooldownMillis(retryAfterMillisOf(response), state.cooldowns)
    if (now < state.until) {
      // Concurrent responses start one cooldown; later ones may extend it.
      if (retryAfterMillisOf(response) !== null) state.until = Math.max(state.until, now + millis)
      return null
    }
    const isNewReason = state.reason !== reason
    state.reason = reason
    // A key that an effect reads may be replaced.
    const level = keySource === null ? logLevelOf(reason, response) : LogLevel.Warning
    if (reason !== "throttled" && keys.every((other) => other === key || now < this.of(other).until)) {
      return isNewReason
        ? {
          level: level === LogLevel.Error ? level : LogLevel.Info,
          message: "last available key failed",
          annotations: { reason }
        }
        : null
    }
    state.cooldowns += 1
    state.until = now + millis
    const annotations = { reason, for: Duration.format(Duration.millis(millis)) }
    return { level, message: "key cooldown started", annotations }
  }

  private of({ id, isReplaced, label }: CallKey): KeyState {
    return getOrInsert(this.states, id, () => ({
      label,
      isReplaced,
      reason: null,
      cooldowns: 0,
      until: 0,
      quotaExhaustedUntil: 0,
      lastUse: 0
    }))
  }
}

/** Returns the health of the keys that were used, by label. */
export const healthOfKeys = ({ states }: KeyStates, clock: SteadyClock): ReadonlyArray<KeyHealth> =>
  states.values()
    .filter((state) => !state.isReplaced())
    .map(({ label, reason, until }): KeyHealth =>
      clock.unsafeCurrentTimeMillis() < until
        ? { label, state: "cooldown", reason, cooldownUntil: clock.toSystem(until) }
        : { label, state: "ready", reason, cooldownUntil: null }
    )
    .toSorted(byLabel)

const byLabel = Order.mapInput(Order.string, ({ label }: KeyHealth) => label)

/** Returns the error with which the upstream rejected the key, if it did. */
export const rejectionOf = ({ classification }: AttemptResponse): string | null => {
  const tag = classification._tag === "Rejected" ? classification.error._tag : null
  return tag === "AuthenticationError" || tag === "PermissionDeniedError" ? tag : null
}

/** Returns the problem with the key that a response reports, if any. */
const keyProblemOf = (response: AttemptResponse): Reason | null => {
  const { classification, health } = response
  // A 429 response.
  if (health === "throttled") return "throttled"
  if (classification._tag !== "Rejected") return null
  if (rejectionOf(response) !== null) return "rejected"
  return classification.error._tag === "PlanQuotaExceededError" ? "quota-exceeded" : null
}

/** An operator must replace an unknown key. A key that lacks permission for one operation serves others. */
const logLevelOf = (reason: Reason, { classification }: AttemptResponse): LogLevel.LogLevel => {
  if (classification._tag === "Rejected" && classification.error._tag === "AuthenticationError") {
    return LogLevel.Error
  }
  return reason === "throttled" ? LogLevel.Info : LogLevel.Warning
}

/** Whether another key may succeed: the key was rejected, or its limits prevented the request. */
export const isKeyFailure: (result: AttemptResult) => boolean = Either.match({
  onLeft: ({ error, health }) => health === "not-sent" && isLimitOfKey(error),
  onRight: (attemptResponse) => keyProblemOf(attemptResponse) !== null
})

/** Every key meets an open circuit breaker, and a store that is unavailable. */
const isLimitOfKey = (error: AttemptNoResponse["error"]): boolean =>
  error._tag === "RateLimitError" ||
  error._tag === "LocalLimitError" && error.limit !== "memory" && error.limit !== "unavailable"

/**
 * Returns the more useful of two results: throttling, which ends by waiting, before rejections, and responses before
 * requests that were not sent.
 */
export const betterOf = (previous: AttemptResult | null, latest: AttemptResult): AttemptResult => {
  if (previous === null) return latest
  if (!isKeyFailure(latest)) return healthOf(latest) === "not-sent" ? previous : latest
  const difference = rank(latest) - rank(previous)
  return difference > 0 || difference === 0 && retryAfterMillis(latest) <= retryAfterMillis(previous)
    ? latest
    : previous
}

const throttledRank = 2

const rank: (result: AttemptResult) => number = Either.match({
  onLeft: () => 1,
  onRight: ({ health }) => health === "throttled" ? throttledRank : 0
})

const retryAfterMillis: (result: AttemptResult) => number = Either.match({
  onLeft: ({ error }) =>
    "retryAfter" in error && error.retryAfter !== null ? Duration.toMillis(error.retryAfter) : 0,
  onRight: (attemptResponse) => retryAfterMillisOf(attemptResponse) ?? 0
})
