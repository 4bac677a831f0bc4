/**
 * The names of the environment variables, in one place, and what is read from them.
 *
 * A setting that is absent or empty is no error here: only the call that needs it fails, and names it.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as RateLimit from "./RateLimit.ts"

/**
 * @since 0.1.0
 * @category names
 */
export const apiKey = "QUARRY_API_KEY"

/**
 * The base address of the main API.
 *
 * @since 0.1.0
 * @category names
 */
export const baseUrl = "QUARRY_BASE_URL"

/**
 * @since 0.1.0
 * @category names
 */
export const streamsUrl = "QUARRY_STREAMS_URL"

/**
 * @since 0.1.0
 * @category names
 */
export const ledgerUrl = "QUARRY_LEDGER_URL"

/**
 * @since 0.1.0
 * @category names
 */
export const ledgerTestnetUrl = "QUARRY_LEDGER_TESTNET_URL"

/**
 * Units per time that may be sent, as in `100/s`; `none` for no limit.
 *
 * @since 0.1.0
 * @category names
 */
export const rateLimit = "QUARRY_RATE_LIMIT"

/** A setting without the white space that files and shells leave around it; absent and empty are the same. */
const optionalText = (name: string): Config.Config<string | undefined> =>
  Config.string(name).pipe(Config.withDefault(""), Config.map((value) => value.trim() || undefined))

const apiKeyConfig = Config.map(
  optionalText(apiKey),
  (value) => value === undefined ? undefined : Redacted.make(value)
)

/**
 * The limit that is set, if one is.
 *
 * @since 0.1.0
 * @category configs
 */
export const rateLimitConfig: Config.Config<RateLimit.RateLimit | undefined> = Config.mapOrFail(
  optionalText(rateLimit),
  (value) =>
    value === undefined
      ? Either.right(undefined)
      : Either.mapLeft(RateLimit.parse(value), (reason) => ConfigError.InvalidData([rateLimit], reason))
)

/**
 * @since 0.1.0
 * @category configs
 */
export const data = Config.all({
  apiKey: apiKeyConfig,
  baseUrl: optionalText(baseUrl),
  rateLimit: rateLimitConfig
})

/**
 * @since 0.1.0
 * @category configs
 */
export const streams = Config.all({
  apiKey: apiKeyConfig,
  baseUrl: optionalText(streamsUrl),
  rateLimit: rateLimitConfig
})

/**
 * @since 0.1.0
 * @category configs
 */
export const ledger = Config.all({
  apiKey: apiKeyConfig,
  baseUrl: optionalText(ledgerUrl),
  testnetUrl: optionalText(ledgerTestnetUrl),
  rateLimit: rateLimitConfig
})
