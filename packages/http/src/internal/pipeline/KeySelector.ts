/**
 * The keys stage: which of several keys an attempt goes by.
 *
 * Keys take turns; one in whose line there is nobody comes before one that would have to be waited for. A key that the
 * service refuses, calls used up or throttles rests at that base address: for a second, twice as long each time that it
 * says so again, for a minute at most. The attempt goes on with another one, a change too, since what was refused took
 * no effect; each key has one try. The last key that does not rest is not put to rest because of a refusal: if not even
 * that one works, it may be the question that is refused.
 *
 * What is known here is known to this process.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import { LRUCache } from "lru-cache"
import type { AdmissionControl } from "./AdmissionControl.ts"
import {
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  type CallWithKey,
  healthOf,
  retryAfterMillisOf
} from "./Call.ts"
import type { KeyHealth } from "./EngineHealth.ts"
import type { Instrumentation } from "./Instrumentation.ts"
import type { PooledKey } from "./Upstream.ts"

export interface KeySelector {
  /** Makes an attempt with one key after another, until one is not refused. `refuse` is as in `Admission`. */
  readonly run: (
    call: Call,
    precheck: Effect.Effect<void, AttemptNoResponse>,
    attempt: (call: CallWithKey) => Effect.Effect<AttemptResponse, AttemptNoResponse>
  ) => Effect.Effect<AttemptResponse, AttemptNoResponse>
  /** The keys that were used at a base address. */
  readonly health: (baseUrl: string, now: number) => ReadonlyArray<KeyHealth>
}

/** What is known of a key at a base address. */
interface KeyState {
  readonly label: string
  readonly baseUrl: string
  /** What the service had against it last, if anything, and how often in a row it was put to rest for that. */
  reason: Reason | null
  cooldowns: number
  /** It rests until then. */
  cooldownUntil: number
  /** By our own reckoning it has nothing left to spend until then. */
  quotaExhaustedUntil: number
  /** The turn it had last. */
  lastUsed: number
}

type Reason = NonNullable<KeyHealth["reason"]>

/** The rest where the service does not ask for more, the first time. */
const initialCooldown = 1000

const maxCooldown = 60_000

export const make = (admission: AdmissionControl, instrumentation: Instrumentation): KeySelector => {
  // One that nobody has used for longest is forgotten where there are very many.
  const states = new LRUCache<string, KeyState>({ max: 10_000 })
  let useCount = 0

  const stateOf = ({ baseUrl, label, id }: PooledKey): KeyState => {
    const existing = states.get(id)
    if (existing !== undefined) return existing
    const initial = {
      label,
      baseUrl,
      reason: null,
      cooldowns: 0,
      cooldownUntil: 0,
      quotaExhaustedUntil: 0,
      lastUsed: 0
    }
    states.set(id, initial)
    return initial
  }

  const run: KeySelector["run"] = (call, precheck, attempt) => {
    const [key, secondKey] = call.keyPool.keys
    if (secondKey !== undefined) return runWithSeveral(call, precheck, attempt)
    const callWithKey = { ...call, key }
    return Effect.tap(
      admission.run(callWithKey, precheck, attempt(callWithKey)),
      (attemptResponse) => recordResponse(callWithKey, attemptResponse)
    )
  }

  const runWithSeveral: KeySelector["run"] = (call, precheck, attempt) =>
    Effect.gen(function*() {
      const tried = new Set<PooledKey>()
      const waits = new Map<PooledKey, number>()
      let bestResult: AttemptResult | null = null
      for (;;) {
        const candidates = candidateKeys(call, tried, bestResult, yield* Clock.currentTimeMillis)
        const available = candidates.find((key) => !waits.has(key))
        const key = available ?? shortestWait(candidates, waits)
        if (key === undefined) return yield* bestResult ?? Effect.dieMessage("a ring has at least one key")
        const callWithKey = { ...call, key }
        stateOf(key).lastUsed = useCount += 1
        // Nobody waits for one key before all others were asked.
        const mayWait = available === undefined || candidates.length === 1
        const result = yield* Effect.match(
          (mayWait ? admission.run : admission.tryRun)(callWithKey, precheck, attempt(callWithKey)),
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
        yield* Either.match(result, {
          onLeft: (noResponse) => recordNotSent(callWithKey, noResponse),
          onRight: (attemptResponse) => recordResponse(callWithKey, attemptResponse)
        })
        bestResult = bestResult === null ? result : betterOf(bestResult, result)
        if (!isKeyFailure(result)) return yield* bestResult
      }
    })

  /** Those that may be tried, in the order in which they should be. */
  const candidateKeys = (
    call: Call,
    tried: ReadonlySet<PooledKey>,
    bestResult: AttemptResult | null,
    now: number
  ): ReadonlyArray<PooledKey> => {
    const candidates = call.keyPool.keys.filter((key) => !tried.has(key))
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
          : admission.expectedWait({ ...call, key }, now),
        turn: stateOf(key).lastUsed
      }))
      .toSorted((one, other) => one.wait - other.wait || one.turn - other.turn)
      .map(({ key }) => key)
  }

  /**
   * Of those that rest the one to wait for, which the pause of a 429 is there for; one that was refused is left alone,
   * unless there is no other.
   */
  const inCooldown = (cooling: ReadonlyArray<PooledKey>, required: boolean): ReadonlyArray<PooledKey> => {
    const throttledKeys = cooling.filter((key) => stateOf(key).reason === "throttled")
    return (required && throttledKeys.length === 0 ? cooling : throttledKeys)
      .toSorted((one, other) => stateOf(one).cooldownUntil - stateOf(other).cooldownUntil)
      .slice(0, 1)
  }

  /** Takes note of what an answer says of the key. */
  const recordResponse = (call: CallWithKey, attemptResponse: AttemptResponse): Effect.Effect<void> => {
    const state = stateOf(call.key)
    const reason = reasonOf(attemptResponse)
    if (reason === null && (state.reason === null || attemptResponse.health !== "healthy")) return Effect.void
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (reason !== null) {
        return startCooldown(
          call,
          reason,
          Math.min(retryAfterMillisOf(attemptResponse) ?? 0, maxCooldown),
          now
        )
      }
      // What was sent before it went to rest says nothing about now.
      if (now < state.cooldownUntil) return Effect.void
      state.reason = null
      state.cooldowns = 0
      return Effect.void
    })
  }

  const startCooldown = (
    call: CallWithKey,
    reason: Reason,
    requestedMillis: number,
    now: number
  ): Effect.Effect<void> => {
    const { key, keyPool } = call
    const state = stateOf(key)
    if (now < state.cooldownUntil) {
      // Of many answers to requests that went out together the first one counts; the others may lengthen the rest.
      state.cooldownUntil = Math.max(state.cooldownUntil, now + requestedMillis)
      return Effect.void
    }
    state.reason = reason
    const isLast = keyPool.keys.every((other) => other === key || now < stateOf(other).cooldownUntil)
    if (isLast && reason !== "throttled") return Effect.void
    const durationMillis = Math.max(
      requestedMillis,
      Math.min(initialCooldown * 2 ** Math.min(state.cooldowns, 10), maxCooldown)
    )
    state.cooldowns += 1
    state.cooldownUntil = now + durationMillis
    return keyPool.keys.length === 1
      ? Effect.void
      : instrumentation.debug("key rests", () => ({
        key: key.label,
        reason,
        for: Duration.format(Duration.millis(durationMillis))
      }))
  }

  /** Where the key has nothing left to spend today, the others come first. */
  const recordNotSent = ({ key }: CallWithKey, { error }: AttemptNoResponse): Effect.Effect<void> =>
    error._tag === "LocalLimitError" && error.limit === "daily"
      ? Effect.map(Clock.currentTimeMillis, (now) => {
        stateOf(key).quotaExhaustedUntil = now +
          (error.retryAfter === null ? 0 : Duration.toMillis(error.retryAfter))
      })
      : Effect.void

  return {
    run,
    health: (baseUrl, now) =>
      [...states.values()]
        .filter((one) => one.baseUrl === baseUrl)
        .map(({ label, reason, cooldownUntil }): KeyHealth =>
          now < cooldownUntil
            ? { label, state: "cooldown", reason, cooldownUntil }
            : { label, state: "ready", reason, cooldownUntil: null }
        )
        .toSorted(byLabel)
  }
}

const byLabel = Order.mapInput(Order.string, ({ label }: KeyHealth) => label)

/** Of those that would have to be waited for the one that is first. */
const shortestWait = (
  candidates: ReadonlyArray<PooledKey>,
  waits: ReadonlyMap<PooledKey, number>
): PooledKey | undefined => {
  const wait = (key: PooledKey) => waits.get(key) ?? 0
  return candidates.toSorted((one, other) => wait(one) - wait(other))[0]
}

/** What an answer has against the key. */
const reasonOf = ({ health, classification }: AttemptResponse): Reason | null => {
  if (health === "throttled") return "throttled"
  if (classification._tag !== "Rejected") return null
  switch (classification.error._tag) {
    case "AuthenticationError":
    case "PermissionDeniedError":
      return "rejected"
    case "PlanQuotaExceededError":
      return "quota-exceeded"
    // A 429 response, which sets `health`.
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

/** Whether another key may fare better: this one was refused, or our own limits for it left nothing to send. */
const isKeyFailure: (result: AttemptResult) => boolean = Either.match({
  onLeft: ({ error, health }) => health === "not-sent" && isLimitOfKey(error),
  onRight: (attemptResponse) => reasonOf(attemptResponse) !== null
})

const isLimitOfKey = (error: AttemptNoResponse["error"]): boolean => {
  switch (error._tag) {
    case "LocalLimitError":
    case "RateLimitError":
      return true
    // An open circuit breaker is a matter of the upstream, so every key meets it.
    case "CircuitOpenError":
    case "InvalidResponseError":
    case "NetworkError":
    case "TimeoutError":
      return false
  }
}

/**
 * Of what came of two keys that which helps the caller most. What can be had by waiting is worth more than a refusal,
 * and what the service said more than what we did not send.
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
