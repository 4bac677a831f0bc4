/** The queue of attempts with one API key at one base URL, and the parameters of its rate limit. */
import { maxCost } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import type { RateLimitRule } from "../../RateLimitStore.ts"
import type { Call, CallWithKey } from "./Call.ts"
import { FairQueue } from "./FairQueue.ts"

/** Why an attempt waits. */
export type AdmissionWaitReason = "rate_limit" | "cooldown" | "concurrency"

export interface KeyQueue {
  readonly fairQueue: FairQueue
  /** Number of calls that use the queue. An unused queue is removed. */
  activeCalls: number
  /** Cost in units of the attempts behind the head. */
  queuedCost: number
  /** When the head may be sent, as far as known, and what it waits for. */
  next: { readonly at: number; readonly reason: AdmissionWaitReason }
}

export const make = (): KeyQueue => ({
  fairQueue: new FairQueue(1),
  activeCalls: 0,
  queuedCost: 0,
  next: { at: 0, reason: "rate_limit" }
})

/** Number of attempts ahead of a new one. */
export const queueLength = ({ fairQueue }: KeyQueue): number => fairQueue.isFree ? 0 : fairQueue.length + 1

/** Estimates when a new attempt may be sent. */
export const expectedStart = (queue: KeyQueue, call: CallWithKey, now: number): number => {
  const { limit, window } = call.key.rateLimit
  const { at, reason } = queue.next
  // `at` includes the head. How long attempts wait after a cooldown or for a slot is unknown.
  const costAhead = queueLength(queue) === 0 || reason !== "rate_limit" ? 0 : queue.queuedCost + costOf(call)
  return Math.max(now, at) + costAhead * Duration.toMillis(window) / limit
}

/** Returns the cost of an attempt in units. */
export const costOf = ({ key: { rateLimit: { cost } }, operation }: CallWithKey): number => {
  if (typeof cost === "number") return cost
  const costs: Readonly<Record<string, number | undefined>> = cost
  return costs[operation.id] ?? operation.cost
}

export const ruleOf = ({ key: { rateLimit } }: CallWithKey): RateLimitRule => ({
  limit: rateLimit.limit,
  window: Duration.toMillis(rateLimit.window),
  burst: rateLimit.burst,
  maxCost: typeof rateLimit.cost === "number"
    ? rateLimit.cost
    : Math.max(maxCost, ...Object.values(rateLimit.cost))
})

/** Returns how long a probe may take: its attempt, and a margin to report the result. */
export const probeLeaseOf = ({ policies: { timeouts } }: Call): number =>
  Math.min(Duration.toMillis(timeouts.attempt), maxLeaseMillis) + probeGraceMillis

const probeGraceMillis = 1000

const maxLeaseMillis = 60_000
