/** Lanes: the line of one key at one base address, and what is asked of its budget. */
import { dearest } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import { Line } from "../internal/line.ts"
import type { Rule } from "../RateLimitStore.ts"
import type { Call, Keyed } from "./Call.ts"

/** What somebody waits for. */
export type Reason = "rate" | "pause" | "concurrency"

export interface Lane {
  readonly turn: Line
  /** Who is being admitted: a line in which there is nobody is forgotten. */
  present: number
  /** Units that those who wait behind the head will take. */
  behind: number
  /** When the head may go, as far as is known, and what it waits for. */
  next: { readonly at: number; readonly reason: Reason }
}

export const make = (): Lane => ({
  turn: new Line(1),
  present: 0,
  behind: 0,
  next: { at: 0, reason: "rate" }
})

/** How many someone who comes now has before them. */
export const waitingIn = ({ turn }: Lane): number => turn.open ? 0 : turn.waiting + 1

/** When it may be the turn of someone who comes now. */
export const expectedIn = (lane: Lane, call: Keyed, now: number): number => {
  const { limit, window } = call.address.rateLimit
  const { at, reason } = lane.next
  // That of the head is in `at`; and what there will be after a pause, or once a place is free, nobody knows.
  const before = waitingIn(lane) === 0 || reason !== "rate" ? 0 : lane.behind + costOf(call)
  return Math.max(now, at) + before * Duration.toMillis(window) / limit
}

/** Units that an attempt takes. */
export const costOf = ({ address: { rateLimit: { cost } }, operation }: Keyed): number => {
  if (typeof cost === "number") return cost
  const costs: Readonly<Record<string, number | undefined>> = cost
  return costs[operation.id] ?? operation.cost
}

export const ruleOf = ({ address: { rateLimit } }: Keyed): Rule => ({
  limit: rateLimit.limit,
  window: Duration.toMillis(rateLimit.window),
  burst: rateLimit.burst,
  dearest: typeof rateLimit.cost === "number"
    ? rateLimit.cost
    : Math.max(dearest, ...Object.values(rateLimit.cost))
})

/** How long a probe may be under way: its attempt, and the time to tell how it went before another one goes. */
export const leaseOf = ({ policies: { timeouts } }: Call): number =>
  Math.min(Duration.toMillis(timeouts.attempt), longestLease) + toTell

const toTell = 1000

const longestLease = 60_000
