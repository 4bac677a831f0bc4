/** Provides the clients of the three APIs. */
import type { dataOperations, streamsOperations } from "@blockquarry/core/Operations"
import type { ApiClient } from "@blockquarry/http/ApiClient"
import type { LedgerApiService } from "@blockquarry/http/LedgerApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UsageError } from "./CommandError.ts"
import type { CommandSettings } from "./CommandSettings.ts"
import { HttpTransport } from "./HttpTransport.ts"
import { CommandTerminal, styled } from "./Terminal.ts"

export interface ApiClientsService {
  readonly data: ApiClient<typeof dataOperations>
  readonly streams: ApiClient<typeof streamsOperations>
  readonly ledger: LedgerApiService
}

export class ApiClients extends Context.Tag("@blockquarry/cli/ApiClients")<ApiClients, ApiClientsService>() {}

/** Connects the clients to the sandbox, or to the base URLs of the options and the environment. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, UsageError, HttpTransport | CommandTerminal> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const network = yield* HttpTransport
    const apiClientsLive = yield* Effect.promise(() => import("./ApiClientsLive.ts"))
    if (settings.isSandbox) {
      const screen = yield* CommandTerminal
      yield* screen.note(
        styled(screen.err, "yellow", "sandbox mode: synthetic data, not from any real blockchain")
      )
      const { client, config: sandboxConfig } = yield* network.sandbox
      return Layer.provide(apiClientsLive.layer(settings.timeout, RateLimit.none), [
        client,
        Layer.setConfigProvider(ConfigProvider.fromMap(new Map(sandboxConfig)))
      ])
    }
    const overrides = ConfigProvider.fromMap(new Map(settings.baseUrls))
    const configProvider = yield* Effect.configProviderWith((environment) =>
      Effect.succeed(ConfigProvider.orElse(overrides, () => environment))
    )
    return Layer.provide(apiClientsLive.layer(settings.timeout, RateLimit.standard), [
      yield* network.network,
      Layer.setConfigProvider(configProvider)
    ])
  })).pipe(
    Layer.mapError((error) =>
      new UsageError({ reason: "invalid environment variable", hint: formatConfigError(error) })
    )
  )

/** Formats the name of the environment variable and the expected value. */
const formatConfigError = (error: ConfigError): string =>
  error._op === "InvalidData" ? `${error.path.join(".")}: ${error.message}` : String(error)
