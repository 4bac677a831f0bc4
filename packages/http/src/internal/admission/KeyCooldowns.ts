/**
 * When each API key may be used again: the only place of this process that decides it.
 *
 * A key is put in cooldown at a base URL when the upstream rejects it, reports its plan as exhausted, or throttles it. The
 * last key without a cooldown gets none for a rejection, because the cause may be the request. Processes that share a store
 * also share the cooldowns of throttled keys: see `RateLimitStore`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as Order from "effect/Order"
import { hostOf } from "../../BaseUrl.ts"
import type { SteadyClock } from "../../SteadyClock.ts"
import { type AttemptResponse, type Call, type CallKey, retryAfterMillisOf } from "../call/Call.ts"
import type { KeyHealth } from "../call/EngineOutput.ts"
import { getOrInsert } from "../Maps.ts"
import { cooldownMillis } from "../stores/Gcra.ts"
import * as LruMap from "../stores/LruMap.ts"

type Reason = NonNullable<KeyHealth["reason"]>

/** The state of a key at a base URL. Times are those of the `SteadyClock`. */
interface KeyState extends Pick<CallKey, "label" | "baseUrl"> {
  /** The last problem with the key, if any, and the number of consecutive cooldowns. */
  reason: Reason | null
  cooldowns: number
  until: number
  /** Until when the daily quota of this program is exhausted. */
  quotaExhaustedUntil: number
}

export class KeyCooldowns {
  // Evicts the least recently used keys of very many.
  private readonly states = LruMap.make<KeyState>({ maxSize: 10_000 })

  stateOf(key: CallKey): Readonly<KeyState> {
    return this.mutableStateOf(key)
  }

  /** Prefers other keys while the daily quota of this one is exhausted. */
  recordExhaustedQuota(key: CallKey, until: number): void {
    this.mutableStateOf(key).quotaExhaustedUntil = until
  }

  /** Starts or ends a cooldown after a response. Returns the log line, or null if nothing changed. */
  record(call: Call, key: CallKey, response: AttemptResponse, now: number): Effect.Effect<void> | null {
    const state = this.mutableStateOf(key)
    const reason = keyProblemOf(response)
    if (reason !== null) return this.start(call, key, reason, response, now)
    // Ignores responses to requests that were sent before the cooldown.
    if (state.reason === null || response.health !== "healthy" || now < state.until) return null
    state.reason = null
    state.cooldowns = 0
    return Effect.annotateLogs(Effect.logInfo("key available again"), describeKey(key))
  }

  /** Returns the health of the keys that were used at a base URL. */
  health(baseUrl: string, clock: SteadyClock): ReadonlyArray<KeyHealth> {
    return this.states.values()
      .filter((state) => state.baseUrl === baseUrl)
      .map(({ label, reason, until }): KeyHealth =>
        clock.unsafeCurrentTimeMillis() < until
          ? { label, state: "cooldown", reason, cooldownUntil: clock.toSystem(until) }
          : { label, state: "ready", reason, cooldownUntil: null }
      )
      .toSorted(byLabel)
  }

  private start(
    call: Call,
    key: CallKey,
    reason: Reason,
    response: AttemptResponse,
    now: number
  ): Effect.Effect<void> | null {
    const state = this.mutableStateOf(key)
    const millis = cooldownMillis(retryAfterMillisOf(response), state.cooldowns)
    if (now < state.until) {
      // Concurrent responses start one cooldown; later ones may extend it.
      if (retryAfterMillisOf(response) !== null) state.until = Math.max(state.until, now + millis)
      return null
    }
    const isNewReason = state.reason !== reason
    state.reason = reason
    const level = logLevelOf(reason, response)
    const isLast = call.keys.every((other) => other === key || now < this.stateOf(other).until)
    if (isLast && reason !== "throttled") {
      return isNewReason
        ? Effect.annotateLogs(
          Effect.logWithLevel(level === LogLevel.Error ? level : LogLevel.Info, "last available key failed"),
          { ...describeKey(key), reason }
        )
        : null
    }
    state.cooldowns += 1
    state.until = now + millis
    return Effect.annotateLogs(Effect.logWithLevel(level, "key cooldown started"), {
      ...describeKey(key),
      reason,
      for: Duration.format(Duration.millis(millis))
    })
  }

  private mutableStateOf({ baseUrl, id, label }: Pick<CallKey, "baseUrl" | "id" | "label">): KeyState {
    return getOrInsert(this.states, id, () => ({
      label,
      baseUrl,
      reason: null,
      cooldowns: 0,
      until: 0,
      quotaExhaustedUntil: 0
    }))
  }
}

/** Returns the problem with the key that a response reports, if any. */
export const keyProblemOf = ({ health, classification }: AttemptResponse): Reason | null => {
  // A 429 response.
  if (health === "throttled") return "throttled"
  if (classification._tag !== "Rejected") return null
  switch (classification.error._tag) {
    case "AuthenticationError":
    case "PermissionDeniedError":
      return "rejected"
    case "PlanQuotaExceededError":
      return "quota-exceeded"
    default:
      return null
  }
}

/** An operator must replace an unknown key. A key that lacks permission for one operation serves others. */
const logLevelOf = (reason: Reason, { classification }: AttemptResponse): LogLevel.LogLevel => {
  if (classification._tag === "Rejected" && classification.error._tag === "AuthenticationError") {
    return LogLevel.Error
  }
  return reason === "throttled" ? LogLevel.Info : LogLevel.Warning
}

const describeKey = ({ baseUrl, label }: CallKey) => ({ key: label, host: hostOf(baseUrl) })

const byLabel = Order.mapInput(Order.string, ({ label }: KeyHealth) => label)
