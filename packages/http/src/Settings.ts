/**
 * The names of the environment variables, in one place, and what is read from them.
 *
 * A setting that is absent or empty is no error here: only the call that needs it fails, and names it.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

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

const key = Config.redacted(apiKey).pipe(
  Config.option,
  Config.map(Option.filter((value) => Redacted.value(value) !== "")),
  Config.map(Option.getOrUndefined)
)

const address = (name: string) =>
  Config.string(name).pipe(
    Config.option,
    Config.map(Option.filter((text) => text !== "")),
    Config.map(Option.getOrUndefined)
  )

/**
 * @since 0.1.0
 * @category configs
 */
export const data = Config.all({ apiKey: key, baseUrl: address(baseUrl) })

/**
 * @since 0.1.0
 * @category configs
 */
export const streams = Config.all({ apiKey: key, baseUrl: address(streamsUrl) })

/**
 * @since 0.1.0
 * @category configs
 */
export const ledger = Config.all({
  apiKey: key,
  baseUrl: address(ledgerUrl),
  testnetUrl: address(ledgerTestnetUrl)
})
