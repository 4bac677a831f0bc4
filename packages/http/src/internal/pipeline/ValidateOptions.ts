/** Validates policies: those of a layer when it is built, those of a call when it starts. */
import { InvalidInputError } from "@blockquarry/core/OperationError"
import * as Arr from "effect/Array"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ApiKey } from "../../ApiKey.ts"
import type { Policies } from "../../ApiOptions.ts"
import type { CallOptions } from "../../CallOptions.ts"
import type { PaginationOptions } from "../../Pagination.ts"
import type { RateLimit } from "../../RateLimit.ts"
import type { RetryPolicy } from "../../RetryPolicy.ts"
import type { Timeouts } from "../../Timeouts.ts"

/** Fails with every invalid value, each under its path, as in `rateLimit.limit`. */
export const validateOptions = (
  { breaker, concurrency, rateLimit, retry, timeouts }: Policies,
  maxBodySize: number,
  userAgent: string,
  apiKeys: ReadonlyArray<ApiKey>
): Effect.Effect<void, ConfigError.ConfigError> => {
  const issues = [
    ...validateAll(["rateLimit"], rateLimitRules(rateLimit)),
    ...apiKeys.flatMap(({ label, rateLimit }) =>
      rateLimit === undefined ? [] : validateAll(["apiKey", label, "rateLimit"], rateLimitRules(rateLimit))
    ),
    ...validateAll(["concurrency"], {
      limit: positiveInteger(concurrency.limit),
      maxQueue: nonNegative(concurrency.maxQueue)
    }),
    ...validateAll(["retry"], retryRules(retry)),
    ...validateAll(["breaker"], {
      threshold: breaker.threshold > 0 && breaker.threshold <= 1
        ? null
        : `expected a share greater than 0 and at most 1, got ${breaker.threshold}`,
      minimum: positive(breaker.minimum),
      window: positive(millis(breaker.window)),
      openDuration: positive(millis(breaker.openDuration)),
      maxOpenDuration: positive(millis(breaker.maxOpenDuration))
    }),
    ...validateAll(["timeouts"], timeoutRules(timeouts)),
    ...validateAll([], {
      maxBodySize: positive(maxBodySize),
      userAgent: isHeaderValue(userAgent) ? null : "expected visible ASCII characters and spaces"
    })
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
    ...(retry === undefined ? [] : validateAll(["retry"], retryRules(retry))),
    ...(timeouts === undefined ? [] : validateAll(["timeouts"], timeoutRules(timeouts)))
  ])

/** Returns an error that names every invalid option of a stream. Null if all are valid. */
export const invalidPaginationOptions = (
  operation: string,
  { maxItems = 0, maxPages = 0, prefetch = 0 }: PaginationOptions
): InvalidInputError | null =>
  invalidInput(
    operation,
    validateAll([], {
      maxItems: nonNegativeInteger(maxItems),
      maxPages: nonNegativeInteger(maxPages),
      prefetch: nonNegativeInteger(prefetch)
    })
  )

const invalidInput = (operation: string, invalid: ReadonlyArray<InvalidOption>): InvalidInputError | null => {
  const issues = invalid.map(({ path, reason }) => ({ parameter: path.join("."), reason }))
  return Arr.isNonEmptyArray(issues) ? new InvalidInputError({ operation, issues }) : null
}

/** What is wrong with a value; null if it is valid. */
type Issue = string | null

const retryRules = ({ attempts, budget }: RetryPolicy) => ({
  attempts: positiveInteger(attempts),
  "budget.capacity": nonNegative(budget.capacity),
  "budget.refill": nonNegative(budget.refill)
})

const timeoutRules = ({ attempt, call }: Timeouts) => ({
  attempt: positive(millis(attempt)),
  call: positive(millis(call))
})

const rateLimitRules = ({ burst, cost, dailyQuota, limit, maxQueue, window }: RateLimit) => ({
  limit: positive(limit),
  window: positive(millis(window)),
  burst: positive(burst),
  ...typeof cost === "number"
    ? { cost: nonNegative(cost) }
    : Object.fromEntries(Object.entries(cost).map(([id, units]) => [`cost.${id}`, nonNegative(units)])),
  maxQueue: nonNegative(maxQueue),
  dailyQuota: dailyQuota === null ? null : positive(dailyQuota)
})

interface InvalidOption {
  readonly path: Array<string>
  readonly reason: string
}

const validateAll = (
  path: ReadonlyArray<string>,
  issues: Readonly<Record<string, Issue>>
): ReadonlyArray<InvalidOption> =>
  Object.entries(issues).flatMap(([name, reason]) =>
    reason === null ? [] : [{ path: [...path, ...name.split(".")], reason }]
  )

const isHeaderValue = (value: string): boolean => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)

/** A duration is never negative: NaN and negative input are a duration of 0. */
const millis = (duration: Duration.DurationInput): number => Duration.toMillis(duration)

const positive = (value: number): Issue => value > 0 ? null : `expected more than 0, got ${value}`

const nonNegative = (value: number): Issue => value >= 0 ? null : `expected at least 0, got ${value}`

const nonNegativeInteger = (value: number): Issue =>
  Number.isInteger(value) && value >= 0 ? null : `expected an integer of at least 0, got ${value}`

const positiveInteger = (value: number): Issue =>
  Number.isInteger(value) && value >= 1 || value === Number.POSITIVE_INFINITY
    ? null
    : `expected an integer of at least 1, got ${value}`
