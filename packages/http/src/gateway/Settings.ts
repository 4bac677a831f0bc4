/**
 * Environment variables: their names, and a `Config` for each value. The names of those with base URLs are in
 * `@blockquarry/core/Upstreams`.
 *
 * A variable that is empty counts as missing. White space around a value is ignored.
 *
 * Unstable: this module may change in any release.
 */
import type { ApiName } from "@blockquarry/core/Operation"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as RateLimit from "../RateLimit.ts"
import { normalize } from "./BaseUrl.ts"
import { apiKeyError } from "./Options.ts"

/** The API key. */
export const apiKey = "QUARRY_API_KEY"

/** The rate limit in units per time, as in `100/s`; `none` for no limit. */
export const rateLimit = "QUARRY_RATE_LIMIT"

/** Decodes a variable that is set; undefined if it is missing or empty. */
const optional = <A>(
  name: string,
  decode: (text: string) => Either.Either<A, string>
): Config.Config<A | undefined> =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.mapOrFail((value) => {
      const text = value.trim()
      return text === ""
        ? Either.right(undefined)
        : Either.mapLeft(decode(text), (reason) => ConfigError.InvalidData([name], reason))
    })
  )

const required = <A>(
  name: string,
  expected: string,
  config: Config.Config<A | undefined>
): Config.Config<A> =>
  Config.mapOrFail(config, (value) =>
    value === undefined
      ? Either.left(ConfigError.MissingData([name], `expected ${expected}`))
      : Either.right(value))

/**
 * The API key, if `QUARRY_API_KEY` is set. Fails if the key has characters that are invalid in an HTTP header.
 */
export const optionalApiKeyConfig: Config.Config<Redacted.Redacted | undefined> = /* @__PURE__ */ optional(
  apiKey,
  (text) => {
    const key = Redacted.make(text)
    const reason = apiKeyError(key)
    return reason === null ? Either.right(key) : Either.left(reason)
  }
)

/** The API key. Fails if `QUARRY_API_KEY` is missing or has characters that are invalid in an HTTP header. */
export const apiKeyConfig: Config.Config<Redacted.Redacted> = /* @__PURE__ */ required(
  apiKey,
  `an API key: export ${apiKey}=…, or pass the option apiKey`,
  optionalApiKeyConfig
)

/**
 * The base URL of an API. Fails if the variable is missing, or is not an http or https URL without query and
 * credentials.
 */
export const baseUrlConfig = (api: ApiName, variable: string): Config.Config<string> =>
  required(
    variable,
    `the base URL of the API: export ${variable}=https://…, or pass it as an option`,
    optional(variable, (text) => Either.map(normalize(api, text), () => text))
  )

/** The rate limit, if `QUARRY_RATE_LIMIT` is set. */
export const rateLimitConfig: Config.Config<RateLimit.RateLimit | undefined> = /* @__PURE__ */ optional(
  rateLimit,
  RateLimit.parse
)
