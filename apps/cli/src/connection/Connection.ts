/** How a command reaches the APIs: the HTTP client, base URLs, API key and rate limit. */
import type { AnyOperation, ApiName } from "@blockquarry/core/Operation"
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Settings from "@blockquarry/http/Settings"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ArgumentValues, singleValue } from "../args/ArgumentValues.ts"
import { networkOption, rateLimitOption } from "../args/GlobalOptions.ts"
import { findApiKey } from "../config/ApiKey.ts"
import type { CommandSettings } from "../config/CommandSettings.ts"
import { formatOrigin } from "../config/Configuration.ts"
import { variableOf } from "../config/Setting.ts"
import { type ConfigFileError, MissingApiKeyError, sandboxHint, UsageError } from "../errors/CommandError.ts"
import { styled } from "../terminal/StreamInfo.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { responseMessage } from "../terminal/VerboseLog.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import { HttpTransport } from "./HttpTransport.ts"

export const userAgent = `quarry ${ApiOptions.userAgent}`

export type ConnectionError = MissingApiKeyError | UsageError | ConfigFileError

export interface Connection {
  readonly client: Layer.Layer<HttpClient.HttpClient>
  /** The rate limit if none is configured. */
  readonly rateLimit: RateLimit.RateLimit
  /** Reads the configuration of clients. Fails with an error that names what is missing or invalid, and its origin. */
  readonly read: <A, R>(configured: Effect.Effect<A, ConfigError, R>) => Effect.Effect<A, ConnectionError, R>
  /** Reads a base URL, but no API key: a command that prints it may ask the user. */
  readonly readBaseUrl: (api: ApiName, variable: string) => Effect.Effect<string, ConnectionError>
}

/** The variables that clients read, and where each of them is set. */
type Variables = ReadonlyMap<string, { readonly value: string; readonly origin: string }>

/** Connects to the sandbox, or to the configured service. */
export const connect = (
  settings: CommandSettings
): Effect.Effect<Connection, UsageError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const transport = yield* HttpTransport
    const configured = configuredVariables(settings)
    if (settings.isSandbox) {
      const terminal = yield* CommandTerminal
      yield* terminal.note(
        styled(terminal.err, "yellow", "sandbox mode: synthetic data, not from any real blockchain")
      )
      const { client, config } = yield* transport.sandbox
      // Of the settings, only a rate limit applies
      const variables = new Map([
        ...configured,
        ...[...config].map(([name, value]) => [name, { value, origin: name }] as const)
      ])
      return {
        client,
        rateLimit: RateLimit.none,
        read: (setting) => readFrom(setting, variables),
        readBaseUrl: (api, variable) => readFrom(Settings.baseUrlConfig(api, variable), variables)
      }
    }
    const withKey = yield* Effect.cached(withApiKey(configured, settings))
    const client = yield* transport.network(settings.sendsManyRequests ? "many-requests" : "few-requests")
    return {
      client: settings.isVerbose ? withCacheLog(client) : client,
      rateLimit: RateLimit.standard,
      read: (setting) => Effect.flatMap(withKey, (variables) => readFrom(setting, variables)),
      readBaseUrl: (api, variable) => readFrom(Settings.baseUrlConfig(api, variable), configured)
    }
  })

/** Logs what responses say about the cache of a proxy. Only with `--verbose`, because it makes requests slower. */
const withCacheLog = (client: Layer.Layer<HttpClient.HttpClient>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.map(client, (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tap(Context.get(context, HttpClient.HttpClient), ({ headers }) => {
        const cache = headers["cache-status"]
        return cache === undefined
          ? Effect.void
          : Effect.annotateLogs(Effect.logDebug(responseMessage), { cache })
      })
    ))

const readFrom = <A, R>(
  configured: Effect.Effect<A, ConfigError, R>,
  variables: Variables
): Effect.Effect<A, MissingApiKeyError | UsageError, R> =>
  Effect.withConfigProvider(
    configured,
    ConfigProvider.fromMap(new Map([...variables].map(([name, { value }]) => [name, value])))
  ).pipe(Effect.mapError(toConnectionError(variables)))

/** Returns what the settings configure for clients, except the API key. */
const configuredVariables = ({ configuration }: CommandSettings): Variables =>
  new Map([...baseUrlOptions, rateLimitOption].flatMap(({ name }) => {
    const resolved = configuration.values.get(name)
    return resolved === undefined
      ? []
      : [[variableOf(name), { value: resolved.value, origin: formatOrigin(resolved.origin) }]]
  }))

/** Adds the API key. Fails if it cannot be read. */
const withApiKey = (
  variables: Variables,
  { configuration }: CommandSettings
): Effect.Effect<Variables, ConfigFileError> =>
  Effect.map(findApiKey(configuration), (found) =>
    found === null
      ? variables
      : new Map([...variables, [Settings.apiKey, {
        value: Redacted.value(found.key),
        origin: found.source
      }]]))

/** Reports the first missing or invalid variable, with a hint. */
const toConnectionError = (variables: Variables) => (error: ConfigError): MissingApiKeyError | UsageError => {
  if (error._op === "And" || error._op === "Or") return toConnectionError(variables)(error.left)
  const variable = error.path.join(".")
  const isMissing = error._op === "MissingData"
  if (isMissing && variable === Settings.apiKey) return new MissingApiKeyError()
  return new UsageError({
    reason: isMissing
      ? `${variable} is not set`
      : `${variables.get(variable)?.origin ?? variable}: ${error.message}`,
    hint: hintFor(variable)
  })
}

const hintFor = (variable: string): string | null => {
  if (variable === Settings.apiKey) return "the API key is a single line without quotes"
  const option = baseUrlOptions.find((option) => option.variable === variable)
  return option === undefined
    ? null
    : `run quarry config set ${option.name} <url>, set ${variable} or --${option.name} <url>, ${sandboxHint}`
}

/**
 * Returns the origin of the service of an operation, without credentials: lists of different services are different.
 * The sandbox has none.
 */
export const serviceOf = (
  operation: Pick<AnyOperation, "api">,
  { settings, values }: { readonly settings: CommandSettings; readonly values: ArgumentValues }
): { readonly service?: string } => {
  const baseUrl = configuredVariables(settings).get(baseUrlVariableOf(operation, values))?.value ?? ""
  return settings.isSandbox || !URL.canParse(baseUrl) ? {} : { service: new URL(baseUrl).origin }
}

/** Everything that the client of one API needs. The ledger API works without a key. */
export interface Endpoint {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly rateLimit: RateLimit.RateLimit
}

export const readEndpoint = (
  connection: Connection,
  api: ApiName,
  baseUrlVariable: string
): Effect.Effect<Endpoint, ConnectionError> =>
  connection.read(Config.all({
    baseUrl: Settings.baseUrlConfig(api, baseUrlVariable),
    apiKey: api === "ledger" ? Settings.optionalApiKeyConfig : Settings.apiKeyConfig,
    rateLimit: Config.map(Settings.rateLimitConfig, (configured) => configured ?? connection.rateLimit)
  }))

/** Returns the variable with the base URL of an operation. `--network` selects between those of the ledger API. */
export const baseUrlVariableOf = ({ api }: Pick<AnyOperation, "api">, values: ArgumentValues): string =>
  baseUrlSettings[
    api === "ledger" && singleValue(values, networkOption.name) === "testnet"
      ? "ledgerTestnet"
      : api
  ]
    .variable
