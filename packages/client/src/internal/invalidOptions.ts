/** Rejects unknown options, and those of the wrong type that the layers would not see, or describe in terms of Effect. */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import type { ConfigurationError } from "../Errors.ts"
import type { CallOptions, ClientOptions, ListOptions } from "../Options.ts"

/** Returns what is wrong with the value of an option. JavaScript programs may pass anything. */
type Check = (option: string, value: unknown) => ConfigurationError["issues"]

/** Requires a check of every option. */
type OptionChecks<Options> = { readonly [Name in keyof Options]-?: Check }

/** Returns unknown options, and those that `checks` reject. */
export const invalidOptions = (
  options: unknown,
  checks: { readonly [name: string]: Check },
  parent = ""
): ConfigurationError["issues"] =>
  Predicate.isRecord(options)
    ? Object.keys({ ...checks, ...options }).flatMap((name) => {
      const check = Option.getOrElse(Rec.get(checks, name), () => unknownOption(Object.keys(checks)))
      return check(`${parent}${name}`, options[name])
    })
    : [{ option: parent.slice(0, -1) || "options", reason: "expected an object" }]

const expected = (description: string, is: (value: unknown) => boolean): Check => (option, value) =>
  value === undefined || is(value) ? [] : [{ option, reason: `expected ${description}` }]

const unknownOption = (names: ReadonlyArray<string>): Check => (option, value) =>
  value === undefined ? [] : [{ option, reason: `unknown option; expected one of ${names.join(", ")}` }]

/** The layers check the value. */
const anything: Check = () => []

/** An object that is merged with defaults before the layers see it. They report its unknown members. */
const object = (checks: { readonly [name: string]: Check } = {}): Check => (option, value) =>
  Predicate.isRecord(value)
    ? Object.entries(checks).flatMap(([name, check]) => check(`${option}.${name}`, value[name]))
    : expected("an object", Predicate.isUndefined)(option, value)

const required = (advice: string): Check => (option, value) =>
  value === undefined ? [{ option, reason: `missing or undefined; ${advice}` }] : []

const rateLimit = object({
  limit: required("pass the units per window, such as 100"),
  window: required(`pass a duration, such as "1 second"`)
})

export const callChecks: OptionChecks<CallOptions> = {
  retry: object({ baseDelay: object(), budget: object() }),
  timeouts: object(),
  cacheMode: anything,
  signal: expected("an AbortSignal", Predicate.hasProperty("addEventListener"))
}

export const listChecks: OptionChecks<ListOptions> = {
  ...callChecks,
  cursor: anything,
  maxPages: anything,
  maxItems: anything,
  prefetch: anything
}

/** The layers check the other members of an API key of a list, under the same path. */
const labeledRateLimit = (option: string, apiKey: unknown, index: number): ConfigurationError["issues"] => {
  const { label, rateLimit: value } = Predicate.isRecord(apiKey) ? apiKey : {}
  return rateLimit(`${option}.${typeof label === "string" ? label : index}.rateLimit`, value)
}

export const clientChecks: OptionChecks<ClientOptions> = {
  apiKey: (option, value) =>
    Arr.isArray(value) ? value.flatMap((one, index) => labeledRateLimit(option, one, index)) : [],
  baseUrl: anything,
  baseUrls: (option, value) =>
    value === undefined
      ? []
      : invalidOptions(value, { data: anything, streams: anything, ledger: anything }, `${option}.`),
  timeouts: callChecks.timeouts,
  retry: callChecks.retry,
  rateLimit,
  breaker: object(),
  concurrency: object(),
  cache: object({ negative: object() }),
  maxBodySize: anything,
  arrayFormat: anything,
  userAgent: anything,
  fetch: expected("a function", Predicate.isFunction),
  signal: callChecks.signal
}
