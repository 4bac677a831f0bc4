/** Validates policies, so that an invalid value fails when a layer is built and not in a call. */
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ApiKey } from "../../ApiKey.ts"
import type { Policies } from "../../ApiOptions.ts"
import type { RateLimit } from "../../RateLimit.ts"

/** Fails with every invalid value, each under its path, as in `rateLimit.limit`. */
export const validateOptions = (
  { breaker, cache, concurrency, rateLimit, retry, timeouts }: Policies,
  maxBodySize: number,
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
    ...validateAll(["retry"], {
      attempts: positiveInteger(retry.attempts),
      "baseDelay.transient": nonNegative(millis(retry.baseDelay.transient)),
      "baseDelay.throttled": nonNegative(millis(retry.baseDelay.throttled)),
      maxDelay: nonNegative(millis(retry.maxDelay)),
      "budget.capacity": nonNegative(retry.budget.capacity),
      "budget.refill": nonNegative(retry.budget.refill)
    }),
    ...validateAll(["breaker"], {
      threshold: breaker.threshold > 0 && breaker.threshold <= 1
        ? null
        : `expected a share greater than 0 and at most 1, got ${breaker.threshold}`,
      minimum: positive(breaker.minimum),
      window: positive(millis(breaker.window)),
      openDuration: positive(millis(breaker.openDuration)),
      maxOpenDuration: positive(millis(breaker.maxOpenDuration))
    }),
    ...validateAll(["timeouts"], {
      attempt: positive(millis(timeouts.attempt)),
      call: positive(millis(timeouts.call))
    }),
    ...validateAll(["cache"], {
      staleWhileRevalidate: nonNegative(millis(cache.staleWhileRevalidate)),
      staleIfError: nonNegative(millis(cache.staleIfError)),
      "negative.notFound": nonNegative(millis(cache.negative.notFound))
    }),
    ...validateAll([], { maxBodySize: positive(maxBodySize) })
  ]
  const [first, ...others] = issues
  return first === undefined ? Effect.void : Effect.fail(others.reduce(ConfigError.And, first))
}

/** What is wrong with a value; null if it is valid. */
type Issue = string | null

const rateLimitRules = ({ burst, cost, dailyQuota, limit, maxQueue, maxWait, window }: RateLimit) => ({
  limit: positive(limit),
  window: positive(millis(window)),
  burst: positive(burst),
  ...typeof cost === "number"
    ? { cost: nonNegative(cost) }
    : Object.fromEntries(Object.entries(cost).map(([id, units]) => [`cost.${id}`, nonNegative(units)])),
  maxWait: nonNegative(millis(maxWait)),
  maxQueue: nonNegative(maxQueue),
  dailyQuota: dailyQuota === null ? null : positive(dailyQuota)
})

const validateAll = (
  path: ReadonlyArray<string>,
  issues: Readonly<Record<string, Issue>>
): ReadonlyArray<ConfigError.ConfigError> =>
  Object.entries(issues).flatMap(([name, issue]) =>
    issue === null ? [] : [ConfigError.InvalidData([...path, ...name.split(".")], issue)]
  )

/** NaN is a duration of 0. */
const millis = (duration: Duration.DurationInput): number => Duration.toMillis(duration)

const positive = (value: number): Issue => value > 0 ? null : `expected more than 0, got ${value}`

const nonNegative = (value: number): Issue => value >= 0 ? null : `expected at least 0, got ${value}`

const positiveInteger = (value: number): Issue =>
  Number.isInteger(value) && value >= 1 || value === Number.POSITIVE_INFINITY
    ? null
    : `expected an integer of at least 1, got ${value}`
