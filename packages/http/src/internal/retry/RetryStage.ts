/** The retry stage, the only place that retries. See `RetryPolicy.ts`. */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import * as LruMap from "../../gateway/LruMap.ts"
import { maxBackoff, type RetryPolicy } from "../../RetryPolicy.ts"
import {
  type AttemptEffect,
  type AttemptResult,
  type Call,
  continuesAt,
  describe,
  healthOf,
  type RetryHint,
  type Stage
} from "../call/Call.ts"
import { debugging, recordRetry, recordSuppressedRetry, recordWait } from "../call/Instrumentation.ts"

type SuppressionReason = "attempts" | "deadline" | "budget"

/** Repeats an attempt while another one may succeed and policy, budget and deadline allow it. */
export const make = (): Stage => {
  const retryBudgets = new RetryBudgets()

  const suppressionReason = (
    call: Call,
    isAllowed: boolean,
    nextAttemptAt: number
  ): SuppressionReason | null => {
    if (!isAllowed) return "attempts"
    // Waiting until the deadline would only replace the upstream's error with a timeout.
    if (nextAttemptAt >= call.deadline) return "deadline"
    return retryBudgets.tryConsume(call) ? null : "budget"
  }

  return (next) => (call) => {
    const runFrom = (
      attemptNumber: number,
      previous: AttemptResult | null,
      scheduleState: unknown
    ): AttemptEffect => {
      const continueWith = (latest: AttemptResult) => {
        // An earlier response is more useful than the error of an attempt that was not sent.
        const usesPrevious = previous !== null && healthOf(latest) === "not-sent"
        const result = usesPrevious ? endedByDeadline(previous, continuesAt(latest)) : latest
        const failure = usesPrevious ? null : failureOf(result)
        if (failure !== null && failure.retryHint !== null) {
          return waitAndRetry(result, failure.error, failure.retryHint, attemptNumber, scheduleState)
        }
        if (healthOf(result) === "healthy") retryBudgets.refill(call)
        return logging(call, result, attemptNumber, null, result)
      }
      return Effect.matchEffect(next({ ...call, attemptNumber }), {
        onFailure: (noResponse) => continueWith(Either.left(noResponse)),
        onSuccess: (attemptResponse) => continueWith(Either.right(attemptResponse))
      })
    }
    const waitAndRetry = (
      result: AttemptResult,
      error: OperationError,
      retryHint: RetryHint,
      attemptNumber: number,
      scheduleState: unknown
    ): AttemptEffect =>
      Effect.flatMap(nextAttempt(call, error, retryHint, attemptNumber, scheduleState), (decision) => {
        const [isAllowed, waitMillis, nextState] = decision
        const retryAt = call.context.clock.unsafeCurrentTimeMillis() + waitMillis
        const suppressed = suppressionReason(call, isAllowed, retryAt)
        if (suppressed !== null) {
          recordSuppressedRetry(call, suppressed)
          const last = endedByDeadline(result, suppressed === "deadline" ? retryAt : null)
          return logging(call, result, attemptNumber, null, last)
        }
        recordRetry(call, retryHint.cause)
        recordWait(call, "backoff", waitMillis)
        const retried = Effect.flatMap(
          Effect.sleep(waitMillis),
          () => runFrom(attemptNumber + 1, result, nextState)
        )
        return logging(call, result, attemptNumber, waitMillis, retried)
      })
    return runFrom(1, null, call.plan.policies.retry.schedule?.initial)
  }
}

const logging = <A, E>(
  call: Call,
  result: AttemptResult,
  attemptNumber: number,
  waitMillis: number | null,
  next: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  debugging(
    call.context,
    () =>
      waitMillis === null
        ? "attempt ended"
        : `attempt ended, retrying in ${Duration.format(Duration.millis(waitMillis))}`,
    () => ({
      attempt: attemptNumber,
      outcome: describe(result),
      ...Either.isRight(result) ? { bytes: result.right.response.bytes.byteLength } : {},
      ...waitMillis === null ? {} : { wait: "backoff", millis: waitMillis }
    }),
    next
  )

/** Consumed retry budgets by base URL and client: the failures of one client take no retries from others. */
class RetryBudgets {
  // Evicts budgets that were not used for long, of very many tenants.
  private readonly consumed = LruMap.make<number>({ maxSize: 10_000 })

  /** Consumes one unit of the budget, if it allows it. */
  tryConsume(call: Call): boolean {
    const key = budgetKey(call)
    const consumed = (this.consumed.get(key) ?? 0) + 1
    // Tolerates rounding errors of fractional refills.
    if (consumed > call.plan.policies.retry.budget.capacity + 1e-9) return false
    this.consumed.set(key, consumed)
    return true
  }

  refill(call: Call): void {
    const key = budgetKey(call)
    const consumed = this.consumed.get(key)
    // Without consumption the budget is full.
    if (consumed !== undefined) {
      this.consumed.set(key, Math.max(0, consumed - call.plan.policies.retry.budget.refill))
    }
  }
}

const budgetKey = ({ context: { client }, plan: { keyPool: { baseUrl } } }: Call): string =>
  `${baseUrl} ${client.name}`

/** Adds when the call would have continued, if its deadline ended it. */
const endedByDeadline = (result: AttemptResult, beyondDeadline: number | null): AttemptResult =>
  beyondDeadline === null ? result : Either.mapBoth(result, {
    onLeft: (noResponse) => ({ ...noResponse, beyondDeadline }),
    onRight: (attemptResponse) => ({ ...attemptResponse, beyondDeadline })
  })

/** A failed attempt. `retryHint` is set if another one may succeed. */
interface Failure {
  readonly error: OperationError
  readonly retryHint: RetryHint | null
}

const failureOf: (result: AttemptResult) => Failure | null = Either.match({
  onLeft: (noResponse): Failure => noResponse,
  onRight: ({ classification }) => classification._tag === "Complete" ? null : classification
})

/** Returns whether policy or schedule allow another attempt, after how many milliseconds, and the next state of the schedule. */
const nextAttempt = (
  { context: { clock }, plan: { policies: { retry } } }: Call,
  error: OperationError,
  retryHint: RetryHint,
  attemptNumber: number,
  state: unknown
): Effect.Effect<readonly [isAllowed: boolean, waitMillis: number, state: unknown]> => {
  const { schedule } = retry
  if (schedule === undefined) {
    return Effect.map(
      backoffMillis(retry, retryHint, attemptNumber),
      (waitMillis) => [attemptNumber < retry.attempts, waitMillis, state]
    )
  }
  const now = clock.system.unsafeCurrentTimeMillis()
  return Effect.map(schedule.step(now, error, state), ([state, , decision]) => {
    const start = ScheduleDecision.isContinue(decision) ? ScheduleIntervals.start(decision.intervals) : now
    const waitMillis = Math.max(0, start - now, Duration.toMillis(retryHint.retryAfter ?? 0))
    return [ScheduleDecision.isContinue(decision), waitMillis, state]
  })
}

/**
 * Returns the backoff in milliseconds: Retry-After, or exponential backoff with full jitter. A Retry-After of 0 also gets
 * jitter, so that clients do not retry at the same time.
 */
const backoffMillis = (
  policy: RetryPolicy,
  retryHint: RetryHint,
  attemptNumber: number
): Effect.Effect<number> =>
  retryHint.retryAfter !== null && Duration.toMillis(retryHint.retryAfter) > 0
    ? Effect.succeed(Duration.toMillis(retryHint.retryAfter))
    : Effect.map(
      Random.next,
      (fraction) =>
        Math.round(Duration.toMillis(maxBackoff(policy, retryHint.cause, attemptNumber)) * fraction)
    )
