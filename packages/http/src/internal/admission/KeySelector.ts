/**
 * The key stage: selects one of several API keys for an attempt, and fails over to others.
 *
 * Keys are used in turn; those without a queue come first, and those in cooldown last. After a rejection the attempt, even of
 * an update, continues with another key, because the rejected request had no effect; each key is tried once.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResult,
  type Call,
  type CallKey,
  healthOf,
  retryAfterMillisOf
} from "../call/Call.ts"
import { maxCooldown } from "../stores/Gcra.ts"
import * as LruMap from "../stores/LruMap.ts"
import type { AdmissionControl, Attempt } from "./AdmissionControl.ts"
import { type KeyCooldowns, keyProblemOf } from "./KeyCooldowns.ts"

export const make = (admission: AdmissionControl, cooldowns: KeyCooldowns) => {
  // When each key was used last, as a number that grows with each use.
  const lastUses = LruMap.make<number>({ maxSize: 10_000 })
  let uses = 0

  /** Runs an attempt with one key after another until the key is accepted. */
  const run = (call: Call, attempt: Attempt): AttemptEffect =>
    call.keys.length === 1 ? admission.run(call, call.keys[0], attempt) : runWithSeveral(call, attempt)

  const runWithSeveral: typeof run = (call, attempt) =>
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
        lastUses.set(key.id, uses += 1)
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
    const ready = candidates.filter((key) => cooldowns.stateOf(key).until <= now)
    if (ready.length === 0) {
      return bestResult !== null && rank(bestResult) === throttledRank
        ? []
        : inCooldown(candidates, bestResult === null)
    }
    return ready
      .map((key) => ({
        key,
        wait: cooldowns.stateOf(key).quotaExhaustedUntil > now
          ? maxCooldown
          : admission.expectedWait(call, key, now),
        lastUse: lastUses.peek(key.id) ?? 0
      }))
      .toSorted((a, b) => a.wait - b.wait || a.lastUse - b.lastUse)
      .map(({ key }) => key)
  }

  /** Returns the key in cooldown to wait for: a throttled one, or any if `required`. */
  const inCooldown = (cooling: ReadonlyArray<CallKey>, required: boolean): ReadonlyArray<CallKey> => {
    const throttledKeys = cooling.filter((key) => cooldowns.stateOf(key).reason === "throttled")
    return (required && throttledKeys.length === 0 ? cooling : throttledKeys)
      .toSorted((a, b) => cooldowns.stateOf(a).until - cooldowns.stateOf(b).until)
      .slice(0, 1)
  }

  return run
}

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
