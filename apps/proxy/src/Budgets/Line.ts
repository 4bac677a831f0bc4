/** The line in which one client's requests wait for its budget. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Client } from "../Clients.ts"
import * as Failure from "../Failure.ts"
import { type Budget, headers, ruleOf } from "./Standing.ts"

/** A request that wants its units. */
export interface Candidate {
  readonly client: Client
  readonly units: number
  readonly began: number
  readonly patience: number
  /** When it may go, as the store said last. */
  at: number
  /** Tells it that it is the first now. */
  call: () => void
}

/**
 * The line of one client. The first asks the store; everybody leaves when its own patience ends, but for an answer of
 * the store that is under way: that may be a charge. Who has less patience goes first, so that lists wait until nobody
 * else does; among equals, who came first.
 */
export interface Line {
  readonly waiting: Array<Candidate>
  /** What the store said last. */
  refusal: Refusal
}

/** That there is nothing to be had for a while. */
export interface Refusal {
  readonly wait: number
  readonly byDay: boolean
  readonly budgets: ReadonlyArray<Budget>
}

/** Before the store said anything. */
export const unheard: Refusal = { wait: 0, byDay: false, budgets: [] }

/** How much longer it waits. */
export const left = ({ began, patience }: Candidate, now: number): number => began + patience - now

/** Until it is the first, or its patience ends: whether it is. */
export const first = (line: Line, one: Candidate): Effect.Effect<boolean> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (line.waiting[0] === one) return Effect.succeed(true)
    const called = Effect.async<void>((resume) => {
      one.call = () => resume(Effect.void)
      if (line.waiting[0] === one) one.call()
    })
    const duration = Math.max(0, left(one, now))
    return Effect.timeoutTo(called, { duration, onSuccess: () => true, onTimeout: () => false })
  })

/** After how long it may be the turn of the last of these. Where they wait for a new day, all go when it begins. */
export const expected = (waiting: ReadonlyArray<Candidate>, { byDay }: Refusal, now: number): number => {
  const [head, ...others] = waiting
  if (head === undefined) return 0
  const wait = Math.max(0, head.at - now)
  const { limit } = head.client
  if (limit === null || byDay) return wait
  const { burst, window } = ruleOf(limit)
  // What one takes must leak away until there is room for the next. One that takes more than the burst waits for all.
  const units = others.reduce(
    (sum, next, index) => sum + Math.max(burst, waiting[index]?.units ?? 0) - Math.max(0, burst - next.units),
    0
  )
  return wait + Math.ceil(units * window / limit.limit)
}

export const overBudget = ({ budgets, byDay, wait }: Refusal): Failure.Failure =>
  Failure.make(
    "over-budget",
    byDay
      ? "your budget for today is used up; it is there again at midnight UTC"
      : "you ask faster than your budget allows",
    { ...headers(budgets), ...Failure.retryAfter(Duration.millis(wait)) }
  )

export const lineIsFull = (budgets: ReadonlyArray<Budget>): Failure.Failure =>
  Failure.make(
    "over-budget",
    "too many of your requests wait for your budget already; ask fewer at once",
    { ...headers(budgets), ...Failure.retryAfter(Duration.seconds(1)) }
  )
