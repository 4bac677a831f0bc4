/** Validates options: those of a layer when it is built, those of a call when it starts. */
import { InvalidInputError } from "@blockquarry/core/OperationError"
import type { OperationId } from "@blockquarry/core/Operations"
import type { ArrayFormat } from "@blockquarry/core/RequestEncoding"
import * as Arr from "effect/Array"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import type { ApiKey } from "../../ApiKey.ts"
import type { OptionalKeyApiOptions } from "../../ApiOptions.ts"
import type { CallOptions } from "../../CallOptions.ts"
import type { CircuitBreaker } from "../../CircuitBreaker.ts"
import type { ConcurrencyLimit } from "../../ConcurrencyLimit.ts"
import type { PaginationOptions } from "../../Pagination.ts"
import type { RateLimit } from "../../RateLimit.ts"
import type { CacheMode, ResponseCache } from "../../ResponseCache.ts"
import type { RetryPolicy } from "../../RetryPolicy.ts"
import type { Timeouts } from "../../Timeouts.ts"

/** Fails with every invalid option of a layer, each under its path, as in `rateLimit.limit`. */
export const validateOptions = (
  options: OptionalKeyApiOptions,
  otherOptions: ReadonlyArray<string> = []
): Effect.Effect<void, ConfigError.ConfigError> => {
  const otherChecks = Object.fromEntries(otherOptions.map((name) => [name, unchecked]))
  const issues = [
    ...validate([], options, { ...layerChecks(options), ...otherChecks }),
    ...Arr.isArray(options.apiKey) ? options.apiKey.flatMap(validateApiKey) : []
  ].map(({ path, reason }) => ConfigError.InvalidData(path, reason))
  const [first, ...others] = issues
  return first === undefined ? Effect.void : Effect.fail(others.reduce(ConfigError.And, first))
}

/** Returns an error that names every invalid option of a call, as in `retry.attempts`. Null if all are valid. */
export const invalidCallOptions = (
  operation: string,
  options: CallOptions & PaginationOptions
): InvalidInputError | null => {
  const invalid = Predicate.isRecord(options)
    ? validate([], options, callChecks)
    : [{ path: ["options"], reason: `expected an object, got ${describe(options)}` }]
  const issues = invalid.map(({ path, reason }) => ({ parameter: path.join("."), reason }))
  return Arr.isNonEmptyArray(issues) ? new InvalidInputError({ operation, issues }) : null
}

/**
 * Returns what is wrong with a value; null if it is valid. Values are unknown: JavaScript programs have no types. An option
 * that is undefined is checked only if it is required.
 */
interface Check {
  (value: unknown): string | null
  readonly isRequired?: true
}

/** The check of a value, or of each option of an object. */
type Checks = Check | ChecksByName

type ChecksByName = { readonly [name: string]: Checks }

/** Requires a check of every option. */
type OptionChecks<Options> = { readonly [Name in keyof Options]-?: Checks }

interface InvalidOption {
  readonly path: Array<string>
  readonly reason: string
}

const validate = (
  path: ReadonlyArray<string>,
  value: unknown,
  checks: Checks
): ReadonlyArray<InvalidOption> => {
  if (value === undefined && !(typeof checks === "function" && checks.isRequired)) return []
  if (typeof checks !== "function" && Predicate.isRecord(value)) {
    return Object.keys({ ...checks, ...value }).flatMap((name) =>
      validate([...path, name], value[name], checkOf(checks, name))
    )
  }
  const reason = typeof checks === "function"
    ? checks(value)
    : `expected an object with ${Object.keys(checks).join(", ")}, got ${describe(value)}`
  return reason === null ? [] : [{ path: [...path], reason }]
}

const checkOf = (checks: ChecksByName, name: string): Checks =>
  Option.getOrElse(
    Rec.get(checks, name),
    () => () => `unknown option; expected one of ${Object.keys(checks).join(", ")}`
  )

/** Validates an API key of a list. Its path has its label, or its index if it has none. */
const validateApiKey = (apiKey: unknown, index: number): ReadonlyArray<InvalidOption> => {
  const { label, rateLimit } = Predicate.isRecord(apiKey) ? apiKey : {}
  return validate(
    ["apiKey", typeof label === "string" ? label : String(index)],
    apiKey,
    {
      label: required(text),
      key: required(secret),
      rateLimit: rateLimitChecks(rateLimit)
    } satisfies OptionChecks<ApiKey>
  )
}

/** Shows numbers. Of other values, which may be misplaced secrets, only the type. */
const describe = (value: unknown): string => typeof value === "number" ? String(value) : typeOf(value)

const typeOf = (value: unknown): string => {
  if (value === undefined || value === null) return String(value)
  if (Arr.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const required = (check: Check): Check =>
  Object.assign((value: unknown) => check(value), { isRequired: true as const })

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

const text: Check = (value) => typeof value === "string" ? null : `expected a string, got ${describe(value)}`

const oneOf = <A extends string>(expected: Readonly<Record<A, null>>): Check => (value) =>
  typeof value === "string" && Object.hasOwn(expected, value)
    ? null
    : `expected one of ${Object.keys(expected).join(", ")}, got ${describe(value)}`

const secret: Check = (value) =>
  Redacted.isRedacted(value) ? null : `expected Redacted.make("…"), got ${typeOf(value)}`

/** Of values that other code checks. */
const unchecked: Check = () => null

const headerValue: Check = (value) =>
  typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? null
    : "expected visible ASCII characters and spaces"

const cacheChecks: OptionChecks<ResponseCache> = {
  enabled: flag,
  staleWhileRevalidate: duration,
  staleIfError: duration,
  negative: { notFound: duration }
}

const timeoutChecks: OptionChecks<Timeouts> = { attempt: positiveDuration, call: positiveDuration }

const retryChecks: OptionChecks<RetryPolicy> = {
  attempts: positiveInteger,
  baseDelay: { transient: duration, throttled: duration },
  maxDelay: duration,
  budget: { capacity: nonNegative, refill: nonNegative }
}

const rateLimitChecks = (rateLimit: unknown): OptionChecks<RateLimit> => ({
  limit: required(positive),
  window: required(positiveDuration),
  burst: positive,
  cost: Predicate.hasProperty(rateLimit, "cost") && Predicate.isRecord(rateLimit.cost)
    ? costChecks
    : nonNegative,
  maxWait: duration,
  maxQueue: nonNegative,
  dailyQuota: (value) => value === null ? null : positive(value)
})

/** Not derived from the operations, which would then all be in every bundle. */
const costChecks: { readonly [Id in OperationId]: Check } = {
  walletTransfers: nonNegative,
  tokenTransfers: nonNegative,
  contractNfts: nonNegative,
  nftOwners: nonNegative,
  walletNftTrades: nonNegative,
  tokenOwners: nonNegative,
  nftMetadata: nonNegative,
  tokenPrice: nonNegative,
  walletChains: nonNegative,
  updateStreamStatus: nonNegative,
  ledgerTransaction: nonNegative
}

const breakerChecks: OptionChecks<CircuitBreaker> = {
  threshold: share,
  minimum: positive,
  window: positiveDuration,
  openDuration: positiveDuration,
  maxOpenDuration: positiveDuration
}

const concurrencyChecks: OptionChecks<ConcurrencyLimit> = {
  limit: positiveInteger,
  maxQueue: nonNegative
}

/** `validateApiKey` checks the API keys of a list. */
const layerChecks = ({ rateLimit }: OptionalKeyApiOptions): OptionChecks<OptionalKeyApiOptions> => ({
  apiKey: (value) => Arr.isArray(value) ? null : secret(value),
  baseUrl: unchecked,
  cache: cacheChecks,
  timeouts: timeoutChecks,
  retry: retryChecks,
  rateLimit: rateLimitChecks(rateLimit),
  breaker: breakerChecks,
  concurrency: concurrencyChecks,
  maxBodySize: positive,
  arrayFormat: oneOf<ArrayFormat>({ brackets: null, indices: null, repeat: null, comma: null }),
  uncacheable: (value) =>
    Arr.isArray(value) && value.every(Redacted.isRedacted) ? null : `expected a list of Redacted.make("…")`,
  userAgent: headerValue,
  transformClient: (value) =>
    typeof value === "function" ? null : `expected a function, got ${describe(value)}`
})

const callChecks: OptionChecks<CallOptions & PaginationOptions> = {
  retry: retryChecks,
  timeouts: timeoutChecks,
  cacheMode: oneOf<CacheMode>({ default: null, reload: null, "no-store": null }),
  cursor: text,
  maxPages: nonNegativeInteger,
  maxItems: nonNegativeInteger,
  prefetch: nonNegativeInteger
}
