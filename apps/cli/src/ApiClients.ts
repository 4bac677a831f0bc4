/** Provides the clients of the APIs. */
import type { DataApiService } from "@blockquarry/http/DataApi"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import type { LedgerTestnetApiService } from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Settings from "@blockquarry/http/Settings"
import type { StreamsApiService } from "@blockquarry/http/StreamsApi"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { baseUrlOptions, rateLimitOption } from "./args/GlobalOptions.ts"
import { type ConfigFileError, MissingApiKeyError, sandboxHint, UsageError } from "./CommandError.ts"
import type { CommandSettings } from "./CommandSettings.ts"
import { formatOrigin } from "./config/Configuration.ts"
import { variableOf } from "./config/Setting.ts"
import { HttpTransport } from "./HttpTransport.ts"
import { CommandTerminal, styled } from "./Terminal.ts"

/** Each client fails if its configuration is missing or invalid. */
export interface ApiClientsService {
  readonly data: Effect.Effect<DataApiService, ClientError>
  readonly streams: Effect.Effect<StreamsApiService, ClientError>
  readonly ledger: Effect.Effect<LedgerApiService, ClientError>
  readonly ledgerTestnet: Effect.Effect<LedgerTestnetApiService, ClientError>
}

export type ClientError = MissingApiKeyError | UsageError | ConfigFileError

/** The configuration of clients. */
export interface ClientConfiguration {
  /** The variables that the clients read. */
  readonly variables: ReadonlyMap<string, string>
  /** Where a variable is set, if it is not in the environment. */
  readonly origins: ReadonlyMap<string, string>
}

export class ApiClients extends Context.Tag("@blockquarry/cli/ApiClients")<ApiClients, ApiClientsService>() {}

/** Connects the clients to the sandbox, or to the base URLs of the options and the environment. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, never, HttpTransport | CommandTerminal> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const network = yield* HttpTransport
    const apiClientsLive = yield* Effect.promise(() => import("./ApiClientsLive.ts"))
    if (settings.isSandbox) {
      const terminal = yield* CommandTerminal
      yield* terminal.note(
        styled(terminal.err, "yellow", "sandbox mode: synthetic data, not from any real blockchain")
      )
      const { client, config } = yield* network.sandbox
      const sandbox = Effect.succeed({ variables: config, origins: new Map() })
      return Layer.provide(apiClientsLive.layer(settings.timeout, RateLimit.none, sandbox), client)
    }
    return Layer.provide(
      apiClientsLive.layer(settings.timeout, RateLimit.standard, clientConfiguration(settings)),
      yield* network.network
    )
  }))

/** Returns what the settings configure for the clients. Fails if the API key cannot be read. */
export const clientConfiguration = (
  { configuration }: CommandSettings
): Effect.Effect<ClientConfiguration, ConfigFileError> =>
  Effect.gen(function*() {
    const { findApiKey } = yield* Effect.promise(() => import("./config/ApiKey.ts"))
    const apiKey = yield* findApiKey(configuration)
    const used = [...baseUrlOptions, rateLimitOption].flatMap(({ name }) => {
      const resolved = configuration.values.get(name)
      return resolved === undefined ? [] : [{ ...resolved, variable: variableOf(name) }]
    })
    return {
      variables: new Map([
        ...used.map(({ value, variable }) => [variable, value] as const),
        ...apiKey === null ? [] : [[Settings.apiKey, Redacted.value(apiKey.key)] as const]
      ]),
      origins: new Map([
        ...used.map(({ origin, variable }) => [variable, formatOrigin(origin)] as const),
        ...apiKey === null ? [] : [[Settings.apiKey, apiKey.source] as const]
      ])
    }
  })

/** Reports the first missing or invalid variable, with a hint. */
export const toCommandError =
  (origins: ReadonlyMap<string, string>) => (error: ConfigError): MissingApiKeyError | UsageError => {
    if (error._op === "And" || error._op === "Or") return toCommandError(origins)(error.left)
    const variable = error.path.join(".")
    const isMissing = error._op === "MissingData"
    if (isMissing && variable === Settings.apiKey) return new MissingApiKeyError()
    return new UsageError({
      reason: isMissing
        ? `${variable} is not set`
        : `${origins.get(variable) ?? variable}: ${error.message}`,
      hint: hintFor(variable)
    })
  }

const hintFor = (variable: string): string | null => {
  if (variable === Settings.apiKey) return "the API key must be a single line without quotes"
  const option = baseUrlOptions.find((option) => option.variable === variable)
  return option === undefined
    ? null
    : `run quarry config set ${option.name} <url>, set ${variable} or --${option.name} <url>, ${sandboxHint}`
}
