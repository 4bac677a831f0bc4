/** The proxy's settings: environment variables, or the options of the command line in their place. */
import type { Api } from "@blockquarry/core/Operation"
import { normalise } from "@blockquarry/http/BaseUrl"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Names from "@blockquarry/http/Settings"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"

/** The settings of base addresses, and the APIs that are behind them. */
export const apis = {
  [Names.baseUrl]: "data",
  [Names.streamsUrl]: "streams",
  [Names.ledgerUrl]: "ledger",
  [Names.ledgerTestnetUrl]: "ledger"
} as const satisfies { readonly [setting: string]: Api }

/** A base address by the name of its setting. */
export type AddressSetting = keyof typeof apis

/** The setting of the address that requests go to, for the APIs that have one address. */
export const addressOf = {
  data: Names.baseUrl,
  streams: Names.streamsUrl
} as const satisfies { readonly [A in Exclude<Api, "ledger">]: AddressSetting }

/** The ledger has an address for each network. The first is meant where none is named. */
export const ledgers = {
  mainnet: Names.ledgerUrl,
  testnet: Names.ledgerTestnetUrl
} as const satisfies { readonly [network: string]: AddressSetting }

/** Settings that the proxy has for itself. */
export const own = {
  host: "QUARRY_PROXY_HOST",
  port: "QUARRY_PROXY_PORT",
  sandbox: "QUARRY_SANDBOX"
} as const

/** The service behind the proxy, as far as it is known. */
export interface Service {
  readonly apiKey: Redacted.Redacted | undefined
  readonly addresses: { readonly [S in AddressSetting]: string | undefined }
  readonly rateLimit: RateLimit.RateLimit
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
      : Either.map(normalise(apis[name], value), () => value))

const key = (value: string | undefined): Either.Either<Redacted.Redacted | undefined, string> =>
  value === undefined || /^[\x21-\x7e]+$/.test(value)
    ? Either.right(value === undefined ? undefined : Redacted.make(value))
    : Either.left("expected a key of visible ASCII characters without spaces")

export const settings: Config.Config<Settings> = Config.all({
  host: Config.map(text(own.host), (host) => host ?? "127.0.0.1"),
  port: checked(own.port, text(own.port), port),
  sandbox: checked(own.sandbox, text(own.sandbox), flag),
  service: Config.all({
    apiKey: checked(Names.apiKey, text(Names.apiKey), key),
    rateLimit: Config.map(Names.limit, (limit) => limit ?? RateLimit.standard),
    addresses: Config.all(Record.map(apis, (_, setting) => address(setting)))
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
