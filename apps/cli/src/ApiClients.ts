/** Provides the clients of the APIs. */
import type { DataApiService } from "@blockquarry/http/DataApi"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import type { LedgerTestnetApiService } from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Settings from "@blockquarry/http/Settings"
import type { StreamsApiService } from "@blockquarry/http/StreamsApi"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { baseUrlOptions } from "./args/GlobalOptions.ts"
import { MissingApiKeyError, sandboxHint, UsageError } from "./CommandError.ts"
import type { CommandSettings } from "./CommandSettings.ts"
import { HttpTransport } from "./HttpTransport.ts"
import { CommandTerminal, styled } from "./Terminal.ts"

/** Each client fails if its configuration is missing or invalid. */
export interface ApiClientsService {
  readonly data: Effect.Effect<DataApiService, MissingApiKeyError | UsageError>
  readonly streams: Effect.Effect<StreamsApiService, MissingApiKeyError | UsageError>
  readonly ledger: Effect.Effect<LedgerApiService, MissingApiKeyError | UsageError>
  readonly ledgerTestnet: Effect.Effect<LedgerTestnetApiService, MissingApiKeyError | UsageError>
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
      const { client, config: sandboxConfig } = yield* network.sandbox
      const configProvider = ConfigProvider.fromMap(new Map(sandboxConfig))
      return Layer.provide(
        apiClientsLive.layer(settings.timeout, RateLimit.none, configProvider),
        client
      )
    }
    const overrides = ConfigProvider.fromMap(new Map(settings.baseUrls))
    const configProvider = yield* Effect.configProviderWith((environment) =>
      Effect.succeed(ConfigProvider.orElse(overrides, () => environment))
    )
    return Layer.provide(
      apiClientsLive.layer(settings.timeout, RateLimit.standard, configProvider),
      yield* network.network
    )
  }))

/** Reports the first missing or invalid variable, with a hint. */
export const toCommandError = (error: ConfigError): MissingApiKeyError | UsageError => {
  if (error._op === "And" || error._op === "Or") return toCommandError(error.left)
  const variable = error.path.join(".")
  const isMissing = error._op === "MissingData"
  if (isMissing && variable === Settings.apiKey) return new MissingApiKeyError()
  const reason = isMissing ? `${variable} is not set` : `${variable}: ${error.message}`
  return new UsageError({ reason, hint: hintFor(variable) })
}

const hintFor = (variable: string): string | null => {
  if (variable === Settings.apiKey) return "set it to the API key only, without quotes or line breaks"
  const option = baseUrlOptions.find((option) => option.variable === variable)
  return option === undefined ? null : `set ${variable} or --${option.name} <url>, ${sandboxHint}`
}
