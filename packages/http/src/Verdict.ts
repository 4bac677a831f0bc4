/**
 * Verdicts: what an answer means, decided once, from the answer alone.
 *
 * The retry stage, the decoded end and the raw end all go by the same verdict.
 *
 * @since 0.1.0
 */
import { type JsonValue, parse } from "@blockquarry/core/LosslessJson"
import type { OperationRef } from "@blockquarry/core/Operation"
import {
  BadRequest,
  KeyRefused,
  NotFound,
  PlanExhausted,
  type QueryError,
  RateLimited,
  type RequestCopy,
  ResponseInvalid,
  ServiceFailed,
  TimedOut
} from "@blockquarry/core/QueryError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { Answer } from "./Answer.ts"
import { detail, excerpt, mismatch } from "./internal/errorText.ts"
import { readRetryAfter } from "./internal/retryAfter.ts"
import type { Cause } from "./RetryPolicy.ts"

/**
 * - `Whole`: status 200 and one whole JSON document.
 * - `Refused`: a failure that the service stated; `again` says whether another attempt may help.
 * - `Garbled`: a success whose text is no whole JSON document: broken on its way, so worth another attempt.
 *
 * @since 0.1.0
 * @category models
 */
export type Verdict = Data.TaggedEnum<{
  Whole: {
    readonly document: JsonValue
    /** That the document says that there is nothing. */
    readonly missing: () => NotFound
    /** That the document is not of the operation's shape, where and why. */
    readonly unfit: (path: string, problem: string) => ResponseInvalid
  }
  Refused: { readonly error: QueryError; readonly again: Again | null }
  Garbled: { readonly error: ResponseInvalid; readonly again: Again | null }
}>

/**
 * Another attempt may help: why, and how long the service wants to be left alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Again {
  readonly cause: Cause
  readonly retryAfter: Duration.Duration | null
}

const Verdict = Data.taggedEnum<Verdict>()

/**
 * Judges an answer. `now` is milliseconds since 1970, for a `Retry-After` that is a date; `key` is kept out of
 * whatever is quoted from the body.
 *
 * @since 0.1.0
 * @category conversions
 */
export const judge = (
  operation: OperationRef,
  request: RequestCopy,
  answer: Answer,
  now: number,
  key: Redacted.Redacted
): Verdict => {
  const { status } = answer
  const secret = Redacted.value(key)
  const text = decodeUtf8(answer.bytes)
  const document = text === undefined
    ? Either.left("the text is not UTF-8")
    : Either.mapLeft(parse(text), ({ reason }) => reason)
  // Made for failures alone: successes are many, and quote nothing.
  const quote = () => ({
    operation: operation.id,
    request,
    status,
    detail: detail(Either.getOrUndefined(document), secret),
    body: excerpt(answer.bytes, secret)
  })
  const retryAfter = readRetryAfter(answer.headers["retry-after"], now)
  const reading = operation.repeat === "always"
  const again = (cause: Cause): Again => ({ cause, retryAfter })
  const refused = (error: QueryError, another: Again | null = null) =>
    Verdict.Refused({ error, again: another })

  if (status >= 200 && status < 300) {
    const invalid = (path: string, problem: string) =>
      new ResponseInvalid({ ...quote(), path, problem, mayHaveTakenEffect: !reading })
    if (Either.isLeft(document)) {
      return Verdict.Garbled({
        error: invalid("", `no whole JSON document: ${document.left}`),
        again: reading ? again("transient") : null
      })
    }
    return status === 200
      ? Verdict.Whole({
        document: document.right,
        missing: () => new NotFound({ ...quote(), detail: "the answer is empty" }),
        unfit: (path, problem) => invalid(path, mismatch(problem, document.right, secret))
      })
      : refused(invalid("", `expected status 200, got ${status}`))
  }
  const said = quote()
  switch (status) {
    case 401:
      return refused(saysExhausted(said.detail) ? new PlanExhausted(said) : new KeyRefused(said))
    case 402:
      return refused(new PlanExhausted(said))
    case 403:
    case 407:
    case 424:
      return refused(new KeyRefused(said))
    case 404:
    case 410:
      return refused(new NotFound(said))
    case 408:
      return refused(
        new TimedOut({ ...said, limit: "service", after: null, mayHaveTakenEffect: !reading }),
        reading ? again("transient") : null
      )
    case 429:
      return refused(new RateLimited({ ...said, limit: "service", retryAfter }), again("throttled"))
  }
  if (status >= 400 && status < 500) return refused(new BadRequest(said))
  // A 503 that says when to come back was turned away at the door: nothing took effect.
  const turnedAway = status === 503 && retryAfter !== null
  const failed = new ServiceFailed({
    ...said,
    retryAfter,
    mayHaveTakenEffect: !reading && status >= 500 && !turnedAway
  })
  return transient.has(status) && (reading || turnedAway)
    ? refused(failed, again(status === 503 ? "throttled" : "transient"))
    : refused(failed)
}

/** Failures of the service that pass. */
const transient: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** A plan that is used up is a 401 whose message says so. */
const saysExhausted = (message: string | null): boolean =>
  message !== null && /\b(plan|quota|usage|credits?|compute units?)\b/i.test(message) &&
  /\b(consumed|exhausted|exceeded|used up|depleted|reached)\b/i.test(message)

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
