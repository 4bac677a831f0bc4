/** The retry stage, the only place that retries. See `RetryPolicy.ts`. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { maxBackoff, type RetryPolicy } from "../../RetryPolicy.ts"
import {
  type AttemptEffect,
  type AttemptResult,
  type Call,
  continuesAt,
  describe,
  healthOf
} from "../call/Call.ts"
import type { RetryHint } from "../call/EngineOutput.ts"
import { debugging, type Instrumentation } from "../call/Instrumentation.ts"

type SuppressionReason = "attempts" | "deadline" | "budget"

export const make = (instrumentation: Instrumentation) => {
  const retryBudgets = new RetryBudgets()

  /** Repeats an attempt while another one may succeed and policy, budget and deadline allow it. */
  const run = (
    call: Call,
    attempt: (attemptNumber: number) => AttemptEffect
  ): AttemptEffect => {
    const { retry } = call.policies
    const runFrom = (
      attemptNumber: number,
      previous: AttemptResult | null
    ): AttemptEffect => {
      const continueWith = (latest: AttemptResult) => {
        // An earlier response is more useful than the error of an attempt that was not sent.
        const usesPrevious = previous !== null && healthOf(latest) === "not-sent"
        const result = usesPrevious ? endedByDeadline(previous, continuesAt(latest)) : latest
        const retryHint = usesPrevious ? null : retryHintOf(result)
        if (retryHint !== null) return waitAndRetry(result, retryHint, attemptNumber)
        if (healthOf(result) === "healthy") retryBudgets.refill(call)
        return logging(call, result, attemptNumber, null, result)
      }
      return Effect.matchEffect(attempt(attemptNumber), {
        onFailure: (noResponse) => continueWith(Either.left(noResponse)),
        onSuccess: (attemptResponse) => continueWith(Either.right(attemptResponse))
      })
    }
    const waitAndRetry = (
      result: AttemptResult,
      retryHint: RetryHint,
      attemptNumber: number
    ): AttemptEffect =>
      Effect.flatMap(backoffMillis(retry, retryHint, attemptNumber), (waitMillis) => {
        const retryAt = call.clock.unsafeCurrentTimeMillis() + waitMillis
        const suppressed = suppressionReason(call, attemptNumber, retryAt)
        if (suppressed !== null) {
          instrumentation.recordSuppressedRetry(call, suppressed)
          const last = endedByDeadline(result, suppressed === "deadline" ? retryAt : null)
          return logging(call, result, attemptNumber, null, last)
        }
        instrumentation.recordRetry(call, retryHint.cause)
        instrumentation.recordWait(call, "backoff", waitMillis)
        const retried = Effect.flatMap(Effect.sleep(waitMillis), () => runFrom(attemptNumber + 1, result))
        return logging(call, result, attemptNumber, waitMillis, retried)
      })
    return runFrom(1, null)
  }

  const suppressionReason = (
    call: Call,
    attemptNumber: number,
    nextAttemptAt: number
  ): SuppressionReason | null => {
    if (attemptNumber >= call.policies.retry.attempts) return "attempts"
    // Waiting until the deadline would only replace the upstream's error with a timeout.
    if (nextAttemptAt >= call.deadline) return "deadline"
    return retryBudgets.tryConsume(call) ? null : "budget"
  }

  return run
}

const logging = <A, E>(
  call: Call,
  result: AttemptResult,
  attemptNumber: number,
  waitMillis: number | null,
  next: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  debugging(
    call,
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
  private readonly consumed = new Map<string, number>()

  /** Consumes one unit of the budget, if it allows it. */
  tryConsume(call: Call): boolean {
    const key = budgetKey(call)
    const consumed = (this.consumed.get(key) ?? 0) + 1
    // Tolerates rounding errors of fractional refills.
    if (consumed > call.policies.retry.budget.capacity + 1e-9) return false
    this.consumed.set(key, consumed)
    return true
  }

  refill(call: Call): void {
    if (this.consumed.size === 0) return
    const key = budgetKey(call)
    const consumed = this.consumed.get(key)
    // Without consumption the budget is full.
    if (consumed !== undefined) {
      this.consumed.set(key, Math.max(0, consumed - call.policies.retry.budget.refill))
    }
  }
}

const budgetKey = ({ client, keyPool: { baseUrl } }: Call): string => `${baseUrl} ${client.name}`

/** Adds when the call would have continued, if its deadline ended it. */
const endedByDeadline = (result: AttemptResult, beyondDeadline: number | null): AttemptResult =>
  beyondDeadline === null ? result : Either.mapBoth(result, {
    onLeft: (noResponse) => ({ ...noResponse, beyondDeadline }),
    onRight: (attemptResponse) => ({ ...attemptResponse, beyondDeadline })
  })

const retryHintOf: (result: AttemptResult) => RetryHint | null = Either.match({
  onLeft: (noResponse) => noResponse.retryHint,
  onRight: ({ classification }) => classification._tag === "Complete" ? null : classification.retryHint
})

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
