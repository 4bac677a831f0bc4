/** The retry stage: the one owner of retries. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { longestWait, type RetryPolicy } from "../RetryPolicy.ts"
import type { Again } from "../Verdict.ts"
import { type Call, healthOf, type Judged, type Missed, type Outcome } from "./Call.ts"
import type { Meter } from "./Meter.ts"

export interface Retry {
  /**
   * Repeats an attempt for as long as another one may help, the policy and its budget allow it and the time left is
   * enough for the wait.
   */
  readonly around: (
    call: Call,
    attempt: (number: number) => Effect.Effect<Judged, Missed>
  ) => Effect.Effect<Judged, Missed>
}

/** Why an attempt is not repeated although that might help. */
type Denied = "attempts" | "deadline" | "budget"

export const make = (meter: Meter): Retry => {
  const budgets = new Budgets()

  const around: Retry["around"] = (call, attempt) => {
    const { retry } = call.policies
    const from = (number: number, before: Outcome | null): Effect.Effect<Judged, Missed> =>
      Effect.flatMap(Effect.either(attempt(number)), (latest) => {
        // What the service said is worth more than that we may not ask it again.
        const outcome = before !== null && healthOf(latest) === "unsent" ? before : latest
        const again = outcome === latest ? anotherMayHelp(outcome) : null
        if (again !== null) return repeat(outcome, again, number)
        if (healthOf(outcome) === "works") budgets.earn(call)
        return Effect.zipRight(report(outcome, number, null), outcome)
      })
    const repeat = (outcome: Outcome, again: Again, number: number): Effect.Effect<Judged, Missed> =>
      Effect.gen(function*() {
        const wait = yield* waitBefore(retry, again, number)
        const now = yield* Clock.currentTimeMillis
        const denied = whyNot(call, number, now + wait)
        if (denied !== null) {
          yield* meter.denied(call.operation, denied)
          return yield* Effect.zipRight(report(outcome, number, null), outcome)
        }
        yield* report(outcome, number, wait)
        yield* meter.retry(call.operation, again.cause)
        yield* meter.waited(call, "retry", wait)
        yield* Effect.sleep(wait)
        return yield* from(number + 1, outcome)
      })
    return from(1, null)
  }

  const whyNot = (call: Call, number: number, next: number): Denied | null => {
    if (number >= call.policies.retry.attempts) return "attempts"
    // A wait that outlasts the call would only turn the service's own words into a time-out.
    if (next >= call.deadline) return "deadline"
    return budgets.spend(call) ? null : "budget"
  }

  /** Says in the log what came of an attempt. */
  const report = (outcome: Outcome, number: number, wait: number | null): Effect.Effect<void> =>
    meter.debug(
      wait === null ? "attempt ended" : `attempt ended, waiting ${Duration.format(Duration.millis(wait))}`,
      () => ({
        attempt: number,
        outcome: Either.match(outcome, { onLeft: nameOfMiss, onRight: nameOfAnswer })
      })
    )

  return { around }
}

/** What was spent on repeating and has not come back, by base address. */
class Budgets {
  private readonly spent = new Map<string, number>()

  /** Takes one, if there is one. */
  spend({ policies, ring: { base } }: Call): boolean {
    const spent = (this.spent.get(base) ?? 0) + 1
    // Ten tenths add up to a little less than one.
    if (spent > policies.retry.budget.capacity + 1e-9) return false
    this.spent.set(base, spent)
    return true
  }

  earn({ policies, ring: { base } }: Call): void {
    const spent = this.spent.get(base)
    // Nothing to note as long as nothing was spent.
    if (spent !== undefined) this.spent.set(base, Math.max(0, spent - policies.retry.budget.refill))
  }
}

const anotherMayHelp: (outcome: Outcome) => Again | null = Either.match({
  onLeft: (missed) => missed.again,
  onRight: ({ verdict }) => verdict._tag === "Whole" ? null : verdict.again
})

/**
 * Milliseconds: full jitter, or what the service asked for. (That it may be at once is no reason for everybody to come
 * at once.)
 */
const waitBefore = (policy: RetryPolicy, again: Again, number: number): Effect.Effect<number> =>
  again.retryAfter !== null && Duration.greaterThan(again.retryAfter, Duration.zero)
    ? Effect.succeed(Duration.toMillis(again.retryAfter))
    : Effect.map(
      Random.next,
      (part) => Math.round(Duration.toMillis(longestWait(policy, again.cause, number)) * part)
    )

const nameOfMiss = ({ error }: Missed): string =>
  error._tag === "Unreachable" || error._tag === "ResponseInvalid"
    ? `${error._tag}: ${error.problem}`
    : error._tag

const nameOfAnswer = ({ answer, verdict }: Judged): string =>
  verdict._tag === "Whole" ? `${answer.status}` : `${answer.status} ${verdict.error._tag}`
