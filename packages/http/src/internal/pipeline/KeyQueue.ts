/** Lanes: the line of one key at one base address, and what is asked of its budget. */
import { maxCost } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import type { RateLimitRule } from "../../RateLimitStore.ts"
import type { Call, CallWithKey } from "./Call.ts"
import { FairQueue } from "./FairQueue.ts"

/** What somebody waits for. */
export type AdmissionWaitReason = "rate_limit" | "cooldown" | "concurrency"

export interface KeyQueue {
  readonly fairQueue: FairQueue
  /** Who is being admitted: a line in which there is nobody is forgotten. */
  activeCalls: number
  /** Units that those who wait behind the head will take. */
  queuedCost: number
  /** When the head may go, as far as is known, and what it waits for. */
  next: { readonly at: number; readonly reason: AdmissionWaitReason }
}

export const make = (): KeyQueue => ({
  fairQueue: new FairQueue(1),
  activeCalls: 0,
  queuedCost: 0,
  next: { at: 0, reason: "rate_limit" }
})

/** How many someone who comes now has before them. */
export const queueLength = ({ fairQueue }: KeyQueue): number => fairQueue.isFree ? 0 : fairQueue.length + 1

/** When it may be the turn of someone who comes now. */
export const expectedStart = (queue: KeyQueue, call: CallWithKey, now: number): number => {
  const { limit, window } = call.key.rateLimit
  const { at, reason } = queue.next
  // That of the head is in `at`; and what there will be after a pause, or once a place is free, nobody knows.
  const costAhead = queueLength(queue) === 0 || reason !== "rate_limit" ? 0 : queue.queuedCost + costOf(call)
  return Math.max(now, at) + costAhead * Duration.toMillis(window) / limit
}

/** Units that an attempt takes. */
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

/** How long a probe may be under way: its attempt, and the time to tell how it went before another one goes. */
export const probeLeaseOf = ({ policies: { timeouts } }: Call): number =>
  Math.min(Duration.toMillis(timeouts.attempt), maxLeaseMillis) + probeGraceMillis

const probeGraceMillis = 1000

const maxLeaseMillis = 60_000
