/**
 * The circuit breaker of a client at a base URL, as a pure state machine: it knows no clock, sends nothing and logs nothing. See
 * `CircuitBreaker.ts`. Times are in milliseconds, and never go back.
 *
 * Each client of a gateway has its own, so that requests of one client that always fail do not stop those of others.
 *
 * The result of an attempt counts only for the state in which it started: attempts from before the circuit breaker opened
 * show nothing about the upstream after it closed.
 */
import * as Duration from "effect/Duration"
import type { CircuitBreaker } from "../../CircuitBreaker.ts"
import type { AttemptHealth } from "../call/Call.ts"

/** The results since the start of a bucket, independent of the window of the policy. */
interface Bucket {
  readonly startedAt: number
  healthy: number
  unhealthy: number
}

export type CircuitState =
  | { readonly _tag: "Closed"; readonly buckets: Array<Bucket> }
  | { readonly _tag: "Open" | "HalfOpen"; readonly until: number; readonly reopenings: number }

export const stateNames = { Closed: "closed", HalfOpen: "half-open", Open: "open" } as const

/** The values of the metric. */
export const stateValues = { Closed: 0, HalfOpen: 1, Open: 2 } as const

/** Returns an open circuit, else a half-open one, else any. */
export const mostOpen = (circuits: ReadonlyArray<Circuit>): Circuit =>
  circuits.reduce((one, other) => stateValues[other.tag] > stateValues[one.tag] ? other : one)

const bucketsPerWindow = 10

/** Bounds the buckets of a circuit whose policies have different windows. */
const maxBuckets = 100

/** A trial that takes longer is abandoned. */
const maxTrialMillis = 300_000

/** The `retryAfter` of attempts during a trial, in milliseconds. */
const trialRetryMillis = 1000

export class Circuit {
  private state: CircuitState = { _tag: "Closed", buckets: [] }

  get tag(): CircuitState["_tag"] {
    return this.state._tag
  }

  /** When an open circuit breaker allows the next attempt. Null if it is not open. */
  get retryAt(): number | null {
    return this.state._tag === "Open" ? this.state.until : null
  }

  /** How long attempts are rejected, in milliseconds. Null if they are not. */
  millisUntilAllowed(now: number): number | null {
    const { state } = this
    // After `until` an attempt is a trial, also if there is one, which is abandoned.
    if (state._tag === "Closed" || now >= state.until) return null
    return state._tag === "Open" ? state.until - now : trialRetryMillis
  }

  /** Admits an attempt, which is the trial unless the circuit breaker is closed. Returns the state in which it starts. */
  admit(now: number): CircuitState {
    if (this.state._tag !== "Closed") {
      this.state = { _tag: "HalfOpen", until: now + maxTrialMillis, reopenings: this.state.reopenings }
    }
    return this.state
  }

  /** Records the result of an attempt under the policy of its call. Returns whether the state changed. */
  record(
    now: number,
    health: AttemptHealth,
    startedIn: CircuitState | null,
    policy: CircuitBreaker
  ): boolean {
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
): CircuitState => {
  const length = Math.min(
    Duration.toMillis(openDuration) * 2 ** Math.min(reopenings, 30),
    Math.max(Duration.toMillis(openDuration), Duration.toMillis(maxOpenDuration))
  )
  return { _tag: "Open", until: now + length, reopenings }
}
