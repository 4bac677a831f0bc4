/** Rejects unknown options, and those of the wrong type that the layers would not see, or describe in terms of Effect. */
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

export const callChecks: OptionChecks<CallOptions> = {
  retry: anything,
  timeouts: anything,
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

export const clientChecks: OptionChecks<ClientOptions> = {
  apiKey: anything,
  baseUrl: anything,
  baseUrls: (option, value) =>
    value === undefined
      ? []
      : invalidOptions(value, { data: anything, streams: anything, ledger: anything }, `${option}.`),
  timeouts: anything,
  retry: anything,
  rateLimit: anything,
  breaker: anything,
  concurrency: anything,
  cache: anything,
  maxBodySize: anything,
  arrayFormat: anything,
  userAgent: anything,
  fetch: expected("a function", Predicate.isFunction),
  signal: callChecks.signal
}
