/** Validates policies: those of a layer when it is built, those of a call when it starts. */
import { InvalidInputError } from "@blockquarry/core/OperationError"
import * as Arr from "effect/Array"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import type { ApiKey } from "../../ApiKey.ts"
import type { Policies } from "../../ApiOptions.ts"
import type { CallOptions } from "../../CallOptions.ts"
import type { CircuitBreaker } from "../../CircuitBreaker.ts"
import type { ConcurrencyLimit } from "../../ConcurrencyLimit.ts"
import type { PaginationOptions } from "../../Pagination.ts"
import type { RateLimit } from "../../RateLimit.ts"
import type { ResponseCache } from "../../ResponseCache.ts"
import type { RetryPolicy } from "../../RetryPolicy.ts"
import type { Timeouts } from "../../Timeouts.ts"

/** Fails with every invalid value, each under its path, as in `rateLimit.limit`. */
export const validateOptions = (
  policies: Policies,
  maxBodySize: number,
  userAgent: string,
  apiKeys: ReadonlyArray<ApiKey>
): Effect.Effect<void, ConfigError.ConfigError> => {
  const issues = [
    ...validate(["cache"], policies.cache, cacheChecks),
    ...validate(["timeouts"], policies.timeouts, timeoutChecks),
    ...validate(["retry"], policies.retry, retryChecks),
    ...validate(["rateLimit"], policies.rateLimit, rateLimitChecks(policies.rateLimit)),
    ...apiKeys.flatMap(({ label, rateLimit }) =>
      rateLimit === undefined
        ? []
        : validate(["apiKey", label, "rateLimit"], rateLimit, rateLimitChecks(rateLimit))
    ),
    ...validate(["breaker"], policies.breaker, breakerChecks),
    ...validate(["concurrency"], policies.concurrency, concurrencyChecks),
    ...validate(["maxBodySize"], maxBodySize, positive),
    ...validate(["userAgent"], userAgent, headerValue)
  ].map(({ path, reason }) => ConfigError.InvalidData(path, reason))
  const [first, ...others] = issues
  return first === undefined ? Effect.void : Effect.fail(others.reduce(ConfigError.And, first))
}

/** Returns an error that names every invalid option of a call, as in `retry.attempts`. Null if all are valid. */
export const invalidCallOptions = (
  operation: string,
  { retry, timeouts }: CallOptions
): InvalidInputError | null =>
  retry === undefined && timeouts === undefined ? null : invalidInput(operation, [
    ...(retry === undefined ? [] : validate(["retry"], retry, retryChecks)),
    ...(timeouts === undefined ? [] : validate(["timeouts"], timeouts, timeoutChecks))
  ])

/** Returns an error that names every invalid option of a stream. Null if all are valid. */
export const invalidPaginationOptions = (
  operation: string,
  { maxItems = 0, maxPages = 0, prefetch = 0 }: PaginationOptions
): InvalidInputError | null =>
  invalidInput(
    operation,
    validate([], { maxItems, maxPages, prefetch }, {
      maxItems: nonNegativeInteger,
      maxPages: nonNegativeInteger,
      prefetch: nonNegativeInteger
    })
  )

const invalidInput = (operation: string, invalid: ReadonlyArray<InvalidOption>): InvalidInputError | null => {
  const issues = invalid.map(({ path, reason }) => ({ parameter: path.join("."), reason }))
  return Arr.isNonEmptyArray(issues) ? new InvalidInputError({ operation, issues }) : null
}

/** Returns what is wrong with a value; null if it is valid. Values are unknown: JavaScript programs have no types. */
type Check = (value: unknown) => string | null

/** The check of a value, or of each option of an object. */
type Checks = Check | { readonly [name: string]: Checks }

/** Requires a check of every option of a policy. */
type PolicyChecks<Policy> = { readonly [Name in keyof Policy]-?: Checks }

interface InvalidOption {
  readonly path: Array<string>
  readonly reason: string
}

const validate = (
  path: ReadonlyArray<string>,
  value: unknown,
  checks: Checks
): ReadonlyArray<InvalidOption> => {
  if (typeof checks !== "function" && Predicate.isRecord(value)) {
    return Object.entries(checks).flatMap(([name, check]) => validate([...path, name], value[name], check))
  }
  const reason = typeof checks === "function"
    ? checks(value)
    : `expected an object with ${Object.keys(checks).join(", ")}, got ${describe(value)}`
  return reason === null ? [] : [{ path: [...path], reason }]
}

/** Shows numbers. Of other values, which may be misplaced secrets, only the type. */
const describe = (value: unknown): string => {
  if (typeof value === "number" || value === undefined || value === null) return String(value)
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const numberCheck = (isValid: (value: number) => boolean, expected: string): Check => (value) =>
  typeof value === "number" && isValid(value) ? null : `expected ${expected}, got ${describe(value)}`

const positive = numberCheck((value) => value > 0, "more than 0")

const nonNegative = numberCheck((value) => value >= 0, "at least 0")

const nonNegativeInteger = numberCheck(
  (value) => Number.isInteger(value) && value >= 0,
  "an integer of at least 0"
)

const positiveInteger = numberCheck(
  (value) => (Number.isInteger(value) && value >= 1) || value === Number.POSITIVE_INFINITY,
  "an integer of at least 1"
)

const share = numberCheck((value) => value > 0 && value <= 1, "a share greater than 0 and at most 1")

/** A duration is never negative: NaN and negative input are a duration of 0. */
const durationCheck = (check: (millis: number) => string | null): Check => (value) =>
  Option.match(Duration.decodeUnknown(value), {
    onNone: () => `expected a duration such as "5 seconds", got ${describe(value)}`,
    onSome: (duration) => check(Duration.toMillis(duration))
  })

const duration = durationCheck(() => null)

const positiveDuration = durationCheck(positive)

const flag: Check = (value) =>
  typeof value === "boolean" ? null : `expected true or false, got ${describe(value)}`

const headerValue: Check = (value) =>
  typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? null
    : "expected visible ASCII characters and spaces"

const cacheChecks: PolicyChecks<ResponseCache> = {
  enabled: flag,
  staleWhileRevalidate: duration,
  staleIfError: duration,
  negative: { notFound: duration }
}

const timeoutChecks: PolicyChecks<Timeouts> = { attempt: positiveDuration, call: positiveDuration }

const retryChecks: PolicyChecks<RetryPolicy> = {
  attempts: positiveInteger,
  baseDelay: { transient: duration, throttled: duration },
  maxDelay: duration,
  budget: { capacity: nonNegative, refill: nonNegative }
}

const rateLimitChecks = (rateLimit: unknown): PolicyChecks<RateLimit> => ({
  limit: positive,
  window: positiveDuration,
  burst: positive,
  cost: Predicate.hasProperty(rateLimit, "cost") && Predicate.isReadonlyRecord(rateLimit.cost)
    ? Rec.map(rateLimit.cost, () => nonNegative)
    : nonNegative,
  maxWait: duration,
  maxQueue: nonNegative,
  dailyQuota: (value) => value === null ? null : positive(value)
})

const breakerChecks: PolicyChecks<CircuitBreaker> = {
  threshold: share,
  minimum: positive,
  window: positiveDuration,
  openDuration: positiveDuration,
  maxOpenDuration: positiveDuration
}

const concurrencyChecks: PolicyChecks<ConcurrencyLimit> = {
  limit: positiveInteger,
  maxQueue: nonNegative
}
