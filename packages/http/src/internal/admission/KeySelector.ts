/**
 * The key stage: selects one of several API keys for an attempt, and fails over to others.
 *
 * Keys are used in turn; those without a queue come first. A key is put in cooldown at a base URL when the upstream
 * rejects it, reports its plan as exhausted, or throttles it. The cooldown starts at 1 s, doubles each time, and is at
 * most 60 s. The attempt, even of an update, continues with another key, because the rejected request had no effect;
 * each key is tried once. The last key without a cooldown gets none for a rejection, because the cause may be the
 * request.
 *
 * The state is local to the process.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Order from "effect/Order"
import { hostOf } from "../../BaseUrl.ts"
import type { SteadyClock } from "../../SteadyClock.ts"
import {
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  type CallKey,
  healthOf,
  retryAfterMillisOf
} from "../call/Call.ts"
import type { KeyHealth } from "../call/EngineHealth.ts"
import { getOrInsert } from "../Maps.ts"
import { initialCooldown, maxCooldown } from "../stores/Gcra.ts"
import * as LruMap from "../stores/LruMap.ts"
import type { AdmissionControl, Attempt } from "./AdmissionControl.ts"

export interface KeySelector {
  /** Runs an attempt with one key after another until the key is accepted. */
  readonly run: (
    call: Call,
    attempt: Attempt
  ) => Effect.Effect<AttemptResponse, AttemptNoResponse>
  /** Returns the health of the keys that were used at a base URL. */
  readonly health: (baseUrl: string, clock: SteadyClock) => ReadonlyArray<KeyHealth>
}

/** The state of a key at a base URL. */
interface KeyState {
  readonly label: string
  readonly baseUrl: string
  /** The last problem with the key, if any, and the number of consecutive cooldowns. */
  reason: Reason | null
  cooldowns: number
  /** End of the cooldown. */
  cooldownUntil: number
  /** Until when the daily quota of this program is exhausted. */
  quotaExhaustedUntil: number
  /** Counter value of the last use. */
  lastUsed: number
}

type Reason = NonNullable<KeyHealth["reason"]>

export const make = (admission: AdmissionControl): KeySelector => {
  // Evicts the least recently used keys of very many.
  const states = LruMap.make<KeyState>({ maxSize: 10_000 })
  let useCount = 0

  const stateOf = ({ baseUrl, label, id }: CallKey): KeyState =>
    getOrInsert(states, id, () => ({
      label,
      baseUrl,
      reason: null,
      cooldowns: 0,
      cooldownUntil: 0,
      quotaExhaustedUntil: 0,
      lastUsed: 0
    }))

  const run: KeySelector["run"] = (call, attempt) => {
    const [key, secondKey] = call.keys
    if (secondKey !== undefined) return runWithSeveral(call, attempt)
    return Effect.flatMap(admission.run(call, key, attempt), (attemptResponse) => {
      const log = recordResponse(call, key, attemptResponse)
      return log === null ? Effect.succeed(attemptResponse) : Effect.as(log, attemptResponse)
    })
  }

  const runWithSeveral: KeySelector["run"] = (call, attempt) =>
    Effect.gen(function*() {
      const tried = new Set<CallKey>()
      const waits = new Map<CallKey, number>()
      let bestResult: AttemptResult | null = null
      for (;;) {
        const candidates = candidateKeys(call, tried, bestResult, call.clock.unsafeCurrentTimeMillis())
        const available = candidates.find((key) => !waits.has(key))
        const key = available ?? shortestWait(candidates, waits)
        if (key === undefined) {
          return yield* bestResult ?? Effect.dieMessage("a key pool has at least one key")
        }
        stateOf(key).lastUsed = useCount += 1
        // Waits for a key only after all others were tried.
        const mayWait = available === undefined || candidates.length === 1
        const result = yield* Effect.match(
          (mayWait ? admission.run : admission.tryRun)(call, key, attempt),
          {
            onFailure: (noResponse): AttemptResult | number => Either.left(noResponse),
            onSuccess: (attemptResponse) =>
              typeof attemptResponse === "number" ? attemptResponse : Either.right(attemptResponse)
          }
        )
        if (typeof result === "number") {
          waits.set(key, result)
          continue
        }
        tried.add(key)
        if (Either.isLeft(result)) recordNotSent(call, key, result.left)
        else yield* recordResponse(call, key, result.right) ?? Effect.void
        bestResult = bestResult === null ? result : betterOf(bestResult, result)
        if (!isKeyFailure(result)) return yield* bestResult
      }
    })

  /** Returns the keys that may be tried, in order of preference. */
  const candidateKeys = (
    call: Call,
    tried: ReadonlySet<CallKey>,
    bestResult: AttemptResult | null,
    now: number
  ): ReadonlyArray<CallKey> => {
    const candidates = call.keys.filter((key) => !tried.has(key))
    const ready = candidates.filter((key) => stateOf(key).cooldownUntil <= now)
    if (ready.length === 0) {
      return bestResult !== null && rank(bestResult) === throttledRank
        ? []
        : inCooldown(candidates, bestResult === null)
    }
    return ready
      .map((key) => ({
        key,
        wait: stateOf(key).quotaExhaustedUntil > now
          ? maxCooldown
          : admission.expectedWait(call, key, now),
        turn: stateOf(key).lastUsed
      }))
      .toSorted((a, b) => a.wait - b.wait || a.turn - b.turn)
      .map(({ key }) => key)
  }

  /** Returns the key in cooldown to wait for: a throttled one, or any if `required`. */
  const inCooldown = (cooling: ReadonlyArray<CallKey>, required: boolean): ReadonlyArray<CallKey> => {
    const throttledKeys = cooling.filter((key) => stateOf(key).reason === "throttled")
    return (required && throttledKeys.length === 0 ? cooling : throttledKeys)
      .toSorted((a, b) => stateOf(a).cooldownUntil - stateOf(b).cooldownUntil)
      .slice(0, 1)
  }

  /** Updates the state of the key after a response. Returns the log line, or null if nothing changed. */
  const recordResponse = (
    call: Call,
    key: CallKey,
    attemptResponse: AttemptResponse
  ): Effect.Effect<void> | null => {
    const state = stateOf(key)
    const reason = reasonOf(attemptResponse)
    if (reason === null && (state.reason === null || attemptResponse.health !== "healthy")) return null
    const now = call.clock.unsafeCurrentTimeMillis()
    if (reason !== null) {
      const requestedMillis = Math.min(retryAfterMillisOf(attemptResponse) ?? 0, maxCooldown)
      return startCooldown(call, key, reason, requestedMillis, now, logLevelOf(reason, attemptResponse))
    }
    // Ignores responses to requests that were sent before the cooldown.
    if (now < state.cooldownUntil) return null
    state.reason = null
    state.cooldowns = 0
    return Effect.annotateLogs(Effect.logInfo("key available again"), describeKey(key))
  }

  const startCooldown = (
    call: Call,
    key: CallKey,
    reason: Reason,
    requestedMillis: number,
    now: number,
    level: LogLevel.LogLevel
  ): Effect.Effect<void> | null => {
    const state = stateOf(key)
    if (now < state.cooldownUntil) {
      // Concurrent responses start one cooldown; later ones may extend it.
      state.cooldownUntil = Math.max(state.cooldownUntil, now + requestedMillis)
      return null
    }
    const isNewReason = state.reason !== reason
    state.reason = reason
    const isLast = call.keys.every((other) => other === key || now < stateOf(other).cooldownUntil)
    if (isLast && reason !== "throttled") {
      return isNewReason
        ? Effect.annotateLogs(
          Effect.logWithLevel(level === LogLevel.Error ? level : LogLevel.Info, "last available key failed"),
          { ...describeKey(key), reason }
        )
        : null
    }
    const durationMillis = Math.max(
      requestedMillis,
      Math.min(initialCooldown * 2 ** Math.min(state.cooldowns, 10), maxCooldown)
    )
    state.cooldowns += 1
    state.cooldownUntil = now + durationMillis
    return Effect.annotateLogs(Effect.logWithLevel(level, "key cooldown started"), {
      ...describeKey(key),
      reason,
      for: Duration.format(Duration.millis(durationMillis))
    })
  }

  /** Prefers other keys while the daily quota of this one is exhausted. */
  const recordNotSent = (call: Call, key: CallKey, { error }: AttemptNoResponse): void => {
    if (error._tag !== "LocalLimitError" || error.limit !== "daily") return
    stateOf(key).quotaExhaustedUntil = call.clock.unsafeCurrentTimeMillis() +
      (error.retryAfter === null ? 0 : Duration.toMillis(error.retryAfter))
  }

  return {
    run,
    health: (baseUrl, clock) =>
      states.values()
        .filter((state) => state.baseUrl === baseUrl)
        .map(({ label, reason, cooldownUntil }): KeyHealth =>
          clock.unsafeCurrentTimeMillis() < cooldownUntil
            ? { label, state: "cooldown", reason, cooldownUntil: clock.toSystem(cooldownUntil) }
            : { label, state: "ready", reason, cooldownUntil: null }
        )
        .toSorted(byLabel)
  }
}

/** An operator must replace an unknown key. A key that lacks permission for one operation serves others. */
const logLevelOf = (reason: Reason, { classification }: AttemptResponse): LogLevel.LogLevel => {
  if (classification._tag === "Rejected" && classification.error._tag === "AuthenticationError") {
    return LogLevel.Error
  }
  return reason === "throttled" ? LogLevel.Info : LogLevel.Warning
}

/** Identifies a key in log lines. */
const describeKey = ({ baseUrl, label }: CallKey) => ({ key: label, host: hostOf(baseUrl) })

const byLabel = Order.mapInput(Order.string, ({ label }: KeyHealth) => label)

/** Returns the candidate with the shortest wait. */
const shortestWait = (
  candidates: ReadonlyArray<CallKey>,
  waits: ReadonlyMap<CallKey, number>
): CallKey | undefined => {
  const wait = (key: CallKey) => waits.get(key) ?? 0
  return candidates.toSorted((a, b) => wait(a) - wait(b))[0]
}

/** Returns the problem with the key that a response reports, if any. */
const reasonOf = ({ health, classification }: AttemptResponse): Reason | null => {
  // A 429 response.
  if (health === "throttled") return "throttled"
  if (classification._tag !== "Rejected") return null
  switch (classification.error._tag) {
    case "AuthenticationError":
    case "PermissionDeniedError":
      return "rejected"
    case "PlanQuotaExceededError":
      return "quota-exceeded"
    // Sets `health`.
    case "RateLimitError":
      return "throttled"
    // These do not depend on the key, or come without a response.
    case "CircuitOpenError":
    case "InvalidInputError":
    case "InvalidResponseError":
    case "LocalLimitError":
    case "NetworkError":
    case "NotFoundError":
    case "RequestRejectedError":
    case "ServerError":
    case "TimeoutError":
      return null
  }
}

/** Whether another key may succeed: the key was rejected, or its limits prevented the request. */
const isKeyFailure: (result: AttemptResult) => boolean = Either.match({
  onLeft: ({ error, health }) => health === "not-sent" && isLimitOfKey(error),
  onRight: (attemptResponse) => reasonOf(attemptResponse) !== null
})

/** Every key meets an open circuit breaker, and a store that is unavailable. */
const isLimitOfKey = (error: AttemptNoResponse["error"]): boolean =>
  error._tag === "RateLimitError" ||
  error._tag === "LocalLimitError" && error.limit !== "memory" && error.limit !== "unavailable"

/**
 * Returns the more useful of two failures: throttling, which ends by waiting, before rejections, and responses before
 * requests that were not sent.
 */
const betterOf = (previous: AttemptResult, latest: AttemptResult): AttemptResult => {
  if (!isKeyFailure(latest)) return healthOf(latest) === "not-sent" ? previous : latest
  const [previousRank, latestRank] = [rank(previous), rank(latest)]
  return latestRank > previousRank ||
      latestRank === previousRank && retryAfterMillis(latest) <= retryAfterMillis(previous)
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
