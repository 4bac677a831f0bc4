/**
 * The circuit breaker stage: stops requests to a failing upstream. See `CircuitBreaker.ts`.
 *
 * Each client of a gateway has its own circuit breaker, so that requests of one client that always fail do not stop those
 * of others. Health and metrics report the one that is furthest from closed.
 */
import { CircuitOpenError } from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hostOf } from "../../BaseUrl.ts"
import type { CircuitBreaker } from "../../CircuitBreaker.ts"
import type { SteadyClock } from "../../SteadyClock.ts"
import {
  type AttemptEffect,
  type AttemptHealth,
  type AttemptNoResponse,
  type Call,
  describe,
  healthOf,
  resultOf
} from "../call/Call.ts"
import type { Instrumentation } from "../call/Instrumentation.ts"
import { getOrInsert } from "../Maps.ts"
import * as LruMap from "../stores/LruMap.ts"

export type CircuitBreakerStage = ReturnType<typeof make>

export const make = (instrumentation: Instrumentation) => {
  // By base URL and client. Evicts those of the least recently used of very many tenants.
  const circuits = new Map<string, LruMap.LruMap<Circuit>>()
  const circuitsOf = ({ keyPool: { baseUrl } }: Call): LruMap.LruMap<Circuit> =>
    getOrInsert(circuits, baseUrl, () => LruMap.make<Circuit>({ maxSize: 10_000 }))
  const circuitOf = (call: Call): Circuit =>
    getOrInsert(circuitsOf(call), call.client.name, () => new Circuit())
  /** Records the state in the metric, and returns its log line. */
  const changed = (
    call: Call,
    { tag, retryAt }: Circuit,
    now: number,
    reason: string
  ): Effect.Effect<void> => {
    const host = hostOf(call.keyPool.baseUrl)
    const client = call.client.name === "" ? {} : { client: call.client.name }
    instrumentation.recordCircuitState(call, host, stateValues[mostOpen(circuitsOf(call).values()).tag])
    const log = retryAt === null || retryAt <= now
      ? Effect.logInfo(`circuit breaker ${stateNames[tag]}`)
      : Effect.logWarning(`circuit breaker open for ${Duration.format(Duration.millis(retryAt - now))}`)
    return Effect.annotateLogs(log, { host, reason, ...client })
  }

  return {
    /** Returns the rejection of an attempt while the circuit breaker is open, so that none waits in vain. Else null. */
    check: (call: Call, now: number): AttemptNoResponse | null => {
      const remainingMillis = circuitOf(call).remainingOpenMillis(now)
      return remainingMillis === null ? null : rejected(call, remainingMillis)
    },
    /** Runs an attempt, which may be the trial, unless the circuit breaker is open. Must not be interrupted itself. */
    run: (call: Call, attempt: AttemptEffect): AttemptEffect => {
      const circuit = circuitOf(call)
      const startedAt = call.clock.unsafeCurrentTimeMillis()
      const remainingMillis = circuit.remainingOpenMillis(startedAt)
      if (remainingMillis !== null) return Effect.fail(rejected(call, remainingMillis))
      const startedIn = circuit.admit(startedAt)
      const attempted = circuit.tag === "HalfOpen"
        ? Effect.zipRight(changed(call, circuit, startedAt, "openDuration elapsed"), attempt)
        : attempt
      return Effect.flatMap(Effect.exit(attempted), (exit) => {
        const result = resultOf(exit)
        const health = result === null ? "unknown" : healthOf(result)
        const now = call.clock.unsafeCurrentTimeMillis()
        // Layers of one engine may have different policies, and a gateway may change its policy.
        return circuit.record(now, health, startedIn, call.policies.breaker)
          ? Effect.zipRight(
            changed(call, circuit, now, result === null ? "interrupted" : describe(result)),
            exit
          )
          : exit
      })
    },
    /** Returns the health of each base URL, which includes the path, unlike the host in metrics. */
    health: (clock: SteadyClock) =>
      [...circuits].map(([baseUrl, ofClients]) => {
        const { retryAt, tag } = mostOpen(ofClients.values())
        return {
          baseUrl,
          breaker: stateNames[tag],
          retryAt: retryAt === null ? null : clock.toSystem(retryAt)
        }
      })
  }
}

const stateNames = { Closed: "closed", HalfOpen: "half-open", Open: "open" } as const

const stateValues = { Closed: 0, HalfOpen: 1, Open: 2 } as const

/** Returns an open circuit, else a half-open one, else any. */
const mostOpen = (circuits: Iterable<Circuit>): Circuit =>
  [...circuits].reduce((one, other) => stateValues[other.tag] > stateValues[one.tag] ? other : one)

const rejected = ({ keyPool, operation, summary }: Call, remainingMillis: number): AttemptNoResponse => ({
  error: new CircuitOpenError({
    operation: operation.id,
    request: summary,
    host: hostOf(keyPool.baseUrl),
    retryAfter: Duration.millis(remainingMillis)
  }),
  retryHint: null,
  health: "not-sent"
})

/** The results since the start of a bucket, independent of the window of the policy. */
interface Bucket {
  readonly startedAt: number
  healthy: number
  unhealthy: number
}

type State =
  | { readonly _tag: "Closed"; readonly buckets: Array<Bucket> }
  | { readonly _tag: "Open" | "HalfOpen"; readonly until: number; readonly reopenings: number }

const bucketsPerWindow = 10

/** Bounds the buckets of a circuit whose policies have different windows. */
const maxBuckets = 100

/** A trial that takes longer is abandoned. */
const maxTrialMillis = 300_000

/** The `retryAfter` of attempts during a trial, in milliseconds. */
const trialRetryMillis = 1000

/**
 * The state of a circuit breaker, as a pure state machine. Times are in milliseconds, and never go back.
 *
 * The result of an attempt counts only for the state in which it started: attempts from before the circuit breaker opened
 * show nothing about the upstream after it closed.
 */
export class Circuit {
  private state: State = { _tag: "Closed", buckets: [] }

  get tag(): State["_tag"] {
    return this.state._tag
  }

  /** When an open circuit breaker allows the next attempt. Null if it is not open. */
  get retryAt(): number | null {
    return this.state._tag === "Open" ? this.state.until : null
  }

  /** How long attempts are rejected, in milliseconds. Null if they are not. */
  remainingOpenMillis(now: number): number | null {
    const { state } = this
    // After `until` an attempt is a trial, also if there is one, which is abandoned.
    if (state._tag === "Closed" || now >= state.until) return null
    return state._tag === "Open" ? state.until - now : trialRetryMillis
  }

  /** Admits an attempt, which is the trial unless the circuit breaker is closed. Returns the state in which it starts. */
  admit(now: number): State {
    if (this.state._tag !== "Closed") {
      this.state = { _tag: "HalfOpen", until: now + maxTrialMillis, reopenings: this.state.reopenings }
    }
    return this.state
  }

  /** Records the result of an attempt under the policy of its call. Returns whether the state changed. */
  record(now: number, health: AttemptHealth, startedIn: State, policy: CircuitBreaker): boolean {
    const { state } = this
    if (startedIn !== state) return false
    if (state._tag === "Closed") {
      if (health !== "healthy" && health !== "unhealthy") return false
      const windowMillis = Duration.toMillis(policy.window)
      count(state.buckets, now, health, windowMillis)
      if (health === "healthy" || !exceedsThreshold(state.buckets, now - windowMillis, policy)) return false
      this.state = openState(now, 0, policy)
    } else if (health === "healthy") this.state = { _tag: "Closed", buckets: [] }
    else if (health === "unhealthy") this.state = openState(now, state.reopenings + 1, policy)
    // After an inconclusive trial the next attempt is a trial, without delay.
    else this.state = { ...state, _tag: "Open", until: now }
    return true
  }
}

const count = (
  buckets: Array<Bucket>,
  now: number,
  health: "healthy" | "unhealthy",
  windowMillis: number
): void => {
  const bucketMillis = windowMillis / bucketsPerWindow
  const startedAt = Math.floor(now / bucketMillis) * bucketMillis
  let bucket = buckets.at(-1)
  if (bucket === undefined || bucket.startedAt < startedAt) {
    bucket = { startedAt, healthy: 0, unhealthy: 0 }
    buckets.push(bucket)
    if (buckets.length > maxBuckets) buckets.shift()
  }
  bucket[health] += 1
}

const exceedsThreshold = (
  buckets: ReadonlyArray<Bucket>,
  windowStart: number,
  { minimum, threshold }: CircuitBreaker
): boolean => {
  const recent = buckets.filter(({ startedAt }) => startedAt > windowStart)
  const unhealthy = recent.reduce((sum, bucket) => sum + bucket.unhealthy, 0)
  const total = recent.reduce((sum, bucket) => sum + bucket.healthy, unhealthy)
  return total >= minimum && unhealthy / total >= threshold
}

/** Returns the state of a circuit that opens: the first time, or after a number of failed trials in a row. */
const openState = (
  now: number,
  reopenings: number,
  { maxOpenDuration, openDuration }: CircuitBreaker
): State => {
  const length = Math.min(
    Duration.toMillis(openDuration) * 2 ** Math.min(reopenings, 30),
    Math.max(Duration.toMillis(openDuration), Duration.toMillis(maxOpenDuration))
  )
  return { _tag: "Open", until: now + length, reopenings }
}
