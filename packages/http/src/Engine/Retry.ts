/** The retry stage: the one owner of retries. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { longestWait, type RetryPolicy } from "../RetryPolicy.ts"
import type { Again } from "../Verdict.ts"
import type { Judged, Missed } from "./Attempt.ts"

/** What came of the last attempt: an answer of any kind, or none. */
type Outcome = Either.Either<Judged, Missed>

/**
 * Repeats an attempt for as long as another one may help, the policy allows it and the time left (until `deadline`,
 * in milliseconds since 1970) is enough for the wait.
 */
export const retry = (
  attempt: Effect.Effect<Judged, Missed>,
  policy: RetryPolicy,
  deadline: number
): Effect.Effect<Judged, Missed> => {
  const from = (number: number): Effect.Effect<Judged, Missed> =>
    Effect.gen(function*() {
      const outcome = yield* Effect.either(attempt)
      const again = anotherMayHelp(outcome)
      if (again === null || number >= policy.attempts) {
        return yield* Effect.zipRight(report(outcome, number, null), outcome)
      }
      const wait = yield* waitBefore(policy, again, number)
      // A wait that outlasts the call would only turn the service's own words into a time-out.
      if ((yield* Clock.currentTimeMillis) + Duration.toMillis(wait) >= deadline) {
        return yield* Effect.zipRight(report(outcome, number, null), outcome)
      }
      yield* report(outcome, number, wait)
      yield* Effect.sleep(wait)
      return yield* from(number + 1)
    })
  return from(1)
}

const anotherMayHelp: (outcome: Outcome) => Again | null = Either.match({
  onLeft: (missed) => missed.again,
  onRight: ({ verdict }) => verdict._tag === "Whole" ? null : verdict.again
})

/** Full jitter, or what the service asked for; that it may be at once is no reason for everybody to come at once. */
const waitBefore = (policy: RetryPolicy, again: Again, number: number): Effect.Effect<Duration.Duration> =>
  again.retryAfter !== null && Duration.greaterThan(again.retryAfter, Duration.zero)
    ? Effect.succeed(again.retryAfter)
    : Effect.map(
      Random.next,
      (part) =>
        Duration.millis(Math.round(Duration.toMillis(longestWait(policy, again.cause, number)) * part))
    )

/** Says in the log what came of an attempt. */
const report = (outcome: Outcome, number: number, wait: Duration.Duration | null): Effect.Effect<void> =>
  Effect.logDebug(wait === null ? "attempt ended" : `attempt ended, waiting ${Duration.format(wait)}`).pipe(
    Effect.annotateLogs({
      attempt: number,
      outcome: Either.match(outcome, { onLeft: nameOfMiss, onRight: nameOfAnswer })
    })
  )

const nameOfMiss = ({ error }: Missed): string =>
  error._tag === "Unreachable" || error._tag === "ResponseInvalid"
    ? `${error._tag}: ${error.problem}`
    : error._tag

const nameOfAnswer = ({ answer, verdict }: Judged): string =>
  verdict._tag === "Whole" ? `${answer.status}` : `${answer.status} ${verdict.error._tag}`
