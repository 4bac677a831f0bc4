/** The proxy's settings: environment variables, or the options of the command line in their place. */
import type { Api } from "@blockquarry/core/Operation"
import { normalise } from "@blockquarry/http/BaseUrl"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** The ledger has two base addresses; the other APIs have one each. */
export const networks = ["mainnet", "testnet"] as const

export type Network = typeof networks[number]

/** A base address by the name of its setting. */
export type AddressSetting =
  | "QUARRY_BASE_URL"
  | "QUARRY_STREAMS_URL"
  | "QUARRY_LEDGER_URL"
  | "QUARRY_LEDGER_TESTNET_URL"

/** The APIs that are behind the base addresses. */
export const addressSettings: { readonly [S in AddressSetting]: Api } = {
  QUARRY_BASE_URL: "data",
  QUARRY_STREAMS_URL: "streams",
  QUARRY_LEDGER_URL: "ledger",
  QUARRY_LEDGER_TESTNET_URL: "ledger"
}

/** The setting of the address that an API's requests go to. */
export const addressSetting = (api: Api, network: Network): AddressSetting => {
  switch (api) {
    case "data":
      return "QUARRY_BASE_URL"
    case "streams":
      return "QUARRY_STREAMS_URL"
    case "ledger":
      return network === "mainnet" ? "QUARRY_LEDGER_URL" : "QUARRY_LEDGER_TESTNET_URL"
  }
}

/** The service behind the proxy, as far as it is known. */
export interface Service {
  readonly apiKey: Redacted.Redacted | undefined
  readonly addresses: { readonly [S in AddressSetting]: string | undefined }
}

export interface Settings {
  readonly host: string
  readonly port: number
  /** Whether the embedded service takes the place of the one that is set. */
  readonly sandbox: boolean
  readonly service: Service
}

/** A setting that is not there, or empty, is undefined. */
const text = (name: string): Config.Config<string | undefined> =>
  Config.string(name).pipe(
    Config.map((value) => value.trim() === "" ? undefined : value.trim()),
    Config.withDefault(undefined)
  )

const checked = <A>(
  name: string,
  config: Config.Config<string | undefined>,
  check: (value: string | undefined) => Either.Either<A, string>
): Config.Config<A> =>
  Config.mapOrFail(
    config,
    (value) => Either.mapLeft(check(value), (problem) => ConfigError.InvalidData([name], problem))
  )

const port = (value = "8650"): Either.Either<number, string> =>
  /^\d{1,5}$/.test(value) && Number(value) < 65_536
    ? Either.right(Number(value))
    : Either.left(`expected a port from 0 (any free one) to 65535, got ${JSON.stringify(value)}`)

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const)
])

const flag = (value = "0"): Either.Either<boolean, string> =>
  Either.fromNullable(
    booleans.get(value.toLowerCase()),
    () => `expected 1 or 0, got ${JSON.stringify(value)}`
  )

/** Said at the start, not at the first request: an address that cannot be right helps nobody later. */
const address = (name: AddressSetting): Config.Config<string | undefined> =>
  checked(name, text(name), (value) =>
    value === undefined
      ? Either.right(undefined)
      : Either.map(normalise(addressSettings[name], value), () => value))

const key = (value: string | undefined): Either.Either<Redacted.Redacted | undefined, string> =>
  value === undefined || /^[\x21-\x7e]+$/.test(value)
    ? Either.right(value === undefined ? undefined : Redacted.make(value))
    : Either.left("expected a key of visible ASCII characters without spaces")

export const settings: Config.Config<Settings> = Config.all({
  host: Config.map(text("QUARRY_PROXY_HOST"), (host) => host ?? "127.0.0.1"),
  port: checked("QUARRY_PROXY_PORT", text("QUARRY_PROXY_PORT"), port),
  sandbox: checked("QUARRY_SANDBOX", text("QUARRY_SANDBOX"), flag),
  service: Config.all({
    apiKey: checked("QUARRY_API_KEY", text("QUARRY_API_KEY"), key),
    addresses: Config.all({
      QUARRY_BASE_URL: address("QUARRY_BASE_URL"),
      QUARRY_STREAMS_URL: address("QUARRY_STREAMS_URL"),
      QUARRY_LEDGER_URL: address("QUARRY_LEDGER_URL"),
      QUARRY_LEDGER_TESTNET_URL: address("QUARRY_LEDGER_TESTNET_URL")
    })
  })
})

/** Everything that is wrong with the settings, a line each. */
export const problems = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
    case "Or":
      return [...problems(error.left), ...problems(error.right)]
    default:
      return [`${Option.getOrElse(Option.fromNullable(error.path[0]), () => "settings")}: ${error.message}`]
  }
}
