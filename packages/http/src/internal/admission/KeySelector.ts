/**
 * The key stage: selects one of several API keys for an attempt, and fails over to others. The only place of this process that
 * decides which key is used, and when.
 *
 * Keys are used in turn; those without a queue come first, and those in cooldown last. After a rejection the attempt, even of
 * an update, continues with another key, because the rejected request had no effect; each key is tried once.
 *
 * A key is put in cooldown at a base URL when the upstream rejects it, reports its plan as exhausted, or throttles it. The
 * last key without a cooldown gets none for a rejection, because the cause may be the request. Processes that share a store
 * also share the cooldowns of throttled keys: see `RateLimitStore`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as LogLevel from "effect/LogLevel"
import * as Order from "effect/Order"
import type * as Scope from "effect/Scope"
import { hostOf } from "../../BaseUrl.ts"
import type { SteadyClock } from "../../SteadyClock.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  type CallKey,
  healthOf,
  retryAfterMillisOf,
  type Rotation
} from "../call/Call.ts"
import type { KeyHealth } from "../call/EngineOutput.ts"
import { getOrInsert } from "../Maps.ts"
import { cooldownMillis, maxCooldown } from "../stores/Gcra.ts"
import * as LruMap from "../stores/LruMap.ts"
import type { AdmissionControl, Attempt } from "./AdmissionControl.ts"

type Reason = NonNullable<KeyHealth["reason"]>

/** The state of a key at a base URL. Times are those of the `SteadyClock`. */
interface KeyState extends Pick<CallKey, "label" | "baseUrl" | "isReplaced"> {
  /** The last problem with the key, if any, and the number of consecutive cooldowns. */
  reason: Reason | null
  cooldowns: number
  until: number
  /** Until when the daily quota of this program is exhausted. */
  quotaExhaustedUntil: number
  /** A number that grows with each use of a key. */
  lastUse: number
}

/** How often a call is repeated with new keys: some replace others while a call waits, and a store may have no valid ones. */
const maxRepeats = 3

/** Keys that an effect reads are read in `scope`. */
export const make = (admission: AdmissionControl, scope: Scope.Scope) => {
  // Evicts the least recently used keys of very many.
  const states = LruMap.make<KeyState>({ maxSize: 10_000 })
  let uses = 0

  const stateOf = ({ baseUrl, id, isReplaced, label }: CallKey): KeyState =>
    getOrInsert(states, id, () => ({
      label,
      baseUrl,
      isReplaced,
      reason: null,
      cooldowns: 0,
      until: 0,
      quotaExhaustedUntil: 0,
      lastUse: 0
    }))

  /** Runs an attempt with one key after another until the key is accepted. */
  const run = (call: Call, attempt: Attempt): AttemptEffect =>
    call.rotation === null ? runWithKeys(call, attempt) : runWithKeysOfNow(call, call.rotation, attempt)

  /**
   * Runs an attempt with the keys of now. If others replace them before it is sent, it continues with those. If they are
   * rejected, and others replace them, it is repeated, at most three times.
   */
  const runWithKeysOfNow = (
    initialCall: Call,
    { source, withKeys }: Rotation,
    attempt: Attempt
  ): AttemptEffect =>
    Effect.gen(function*() {
      for (let repeats = 0;;) {
        source.refresh(scope)
        const { keys } = source
        const call = withKeys(initialCall)
        const result = yield* Effect.either(runWithKeys(call, attempt))
        const rejection = repeats < maxRepeats && Either.isRight(result) ? rejectionOf(result.right) : null
        const continues = rejection === null
          ? healthOf(result) === "not-sent" && source.keys !== keys
          : yield* source.renew(keys, rejection, scope, call.deadline - call.clock.unsafeCurrentTimeMillis())
        if (!continues) return yield* result
        if (rejection !== null) repeats += 1
      }
    })

  const runWithKeys = (call: Call, attempt: Attempt): AttemptEffect => {
    const recorded: Attempt = (key, onSent) =>
      Effect.tap(attempt(key, onSent), (response) => record(call, key, response) ?? Effect.void)
    return call.keys.length === 1
      ? admission.run(call, call.keys[0], recorded)
      : runWithSeveral(call, recorded)
  }

  const runWithSeveral = (call: Call, attempt: Attempt): AttemptEffect =>
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
        const state = stateOf(key)
        state.lastUse = uses += 1
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
        if (Either.isLeft(result) && isQuotaExhausted(result.left)) {
          state.quotaExhaustedUntil = call.clock.unsafeCurrentTimeMillis() + retryAfterMillis(result)
        }
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
    const ready = candidates.filter((key) => stateOf(key).until <= now)
    if (ready.length === 0) return inCooldown(candidates, bestResult)
    return ready
      .map((key) => {
        const { lastUse, quotaExhaustedUntil } = stateOf(key)
        // Prefers other keys while the daily quota of this one is exhausted.
        return {
          key,
          lastUse,
          wait: quotaExhaustedUntil > now ? maxCooldown : admission.expectedWait(call, key, now)
        }
      })
      .toSorted((a, b) => a.wait - b.wait || a.lastUse - b.lastUse)
      .map(({ key }) => key)
  }

  /** Returns the key in cooldown to wait for: a throttled one, or any if no key was tried. */
  const inCooldown = (
    candidates: ReadonlyArray<CallKey>,
    bestResult: AttemptResult | null
  ): ReadonlyArray<CallKey> => {
    const cooling = candidates.toSorted((a, b) => stateOf(a).until - stateOf(b).until)
    if (bestResult !== null && rank(bestResult) === throttledRank) return []
    const throttled = cooling.filter((key) => stateOf(key).reason === "throttled")
    return (bestResult === null ? [...throttled, ...cooling] : throttled).slice(0, 1)
  }

  /** Starts or ends a cooldown after a response. Returns the log line, or null if nothing changed. */
  const record = (call: Call, key: CallKey, response: AttemptResponse): Effect.Effect<void> | null => {
    const now = call.clock.unsafeCurrentTimeMillis()
    const state = stateOf(key)
    if (key.isReplaced()) return null
    const reason = keyProblemOf(response)
    if (reason !== null) return startCooldown(call, key, reason, response, now)
    // Ignores responses to requests that were sent before the cooldown.
    if (state.reason === null || response.health !== "healthy" || now < state.until) return null
    state.reason = null
    state.cooldowns = 0
    return Effect.annotateLogs(Effect.logInfo("key available again"), describeKey(key))
  }

  const startCooldown = (
    call: Call,
    key: CallKey,
    reason: Reason,
    response: AttemptResponse,
    now: number
  ): Effect.Effect<void> | null => {
    const state = stateOf(key)
    const millis = cooldownMillis(retryAfterMillisOf(response), state.cooldowns)
    if (now < state.until) {
      // Concurrent responses start one cooldown; later ones may extend it.
      if (retryAfterMillisOf(response) !== null) state.until = Math.max(state.until, now + millis)
      return null
    }
    const isNewReason = state.reason !== reason
    state.reason = reason
    // A key that an effect reads may be replaced.
    const level = call.rotation === null ? logLevelOf(reason, response) : LogLevel.Warning
    const isLast = call.keys.every((other) => other === key || now < stateOf(other).until)
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

  return {
    run,
    /** Returns the health of the keys that were used at a base URL. */
    health: (baseUrl: string, clock: SteadyClock): ReadonlyArray<KeyHealth> =>
      states.values()
        .filter((state) => state.baseUrl === baseUrl && !state.isReplaced())
        .map(({ label, reason, until }): KeyHealth =>
          clock.unsafeCurrentTimeMillis() < until
            ? { label, state: "cooldown", reason, cooldownUntil: clock.toSystem(until) }
            : { label, state: "ready", reason, cooldownUntil: null }
        )
        .toSorted(byLabel)
  }
}

/** Returns the error with which the upstream rejected the key, if it did. */
const rejectionOf = ({ classification }: AttemptResponse): string | null => {
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

const describeKey = ({ baseUrl, label }: CallKey) => ({ key: label, host: hostOf(baseUrl) })

const byLabel = Order.mapInput(Order.string, ({ label }: KeyHealth) => label)

const shortestWait = (
  candidates: ReadonlyArray<CallKey>,
  waits: ReadonlyMap<CallKey, number>
): CallKey | undefined => {
  const wait = (key: CallKey) => waits.get(key) ?? 0
  return candidates.toSorted((a, b) => wait(a) - wait(b))[0]
}

/** Whether another key may succeed: the key was rejected, or its limits prevented the request. */
const isKeyFailure: (result: AttemptResult) => boolean = Either.match({
  onLeft: ({ error, health }) => health === "not-sent" && isLimitOfKey(error),
  onRight: (attemptResponse) => keyProblemOf(attemptResponse) !== null
})

const isQuotaExhausted = ({ error }: AttemptNoResponse): boolean =>
  error._tag === "LocalLimitError" && error.limit === "daily"

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
