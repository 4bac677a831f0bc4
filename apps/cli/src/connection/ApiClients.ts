/** The clients of the APIs, for the sandbox or for the configured service. */
import type * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as Settings from "@blockquarry/http/Settings"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as Timeouts from "@blockquarry/http/Timeouts"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CommandSettings } from "../config/CommandSettings.ts"
import type { UsageError } from "../errors/CommandError.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import { connect, type Connection, type ConnectionError, userAgent } from "./Connection.ts"
import type { HttpTransport } from "./HttpTransport.ts"

/** Each client fails if its configuration is missing or invalid. */
export interface ApiClientsService {
  readonly data: Effect.Effect<DataApi.DataApiService, ConnectionError>
  readonly streams: Effect.Effect<StreamsApi.StreamsApiService, ConnectionError>
  readonly ledger: Effect.Effect<LedgerApi.LedgerApiService, ConnectionError>
  readonly ledgerTestnet: Effect.Effect<LedgerTestnetApi.LedgerTestnetApiService, ConnectionError>
  /** Reads the base URL of a client. Needs no API key. */
  readonly readBaseUrl: Connection["readBaseUrl"]
}

export class ApiClients extends Context.Tag("@blockquarry/cli/ApiClients")<ApiClients, ApiClientsService>() {}

/** Connects the clients to the sandbox, or to the configured service. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, UsageError, HttpTransport | CommandTerminal> =>
  Layer.unwrapEffect(Effect.map(connect(settings), (connection) => layer(settings.timeout, connection)))

/**
 * Builds each client when it is first used, so that a command needs no configuration of other APIs.
 *
 * `timeout` replaces the timeout of a call; an attempt may take a quarter of it if that is more than the default.
 */
const layer = (
  timeout: Duration.Duration | null,
  connection: Connection
): Layer.Layer<ApiClients> =>
  Layer.scoped(
    ApiClients,
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const context = yield* Layer.build(connection.client)
      const timeouts = timeout === null ? {} : {
        timeouts: {
          attempt: Duration.max(Timeouts.standard.attempt, Duration.times(timeout, 0.25)),
          call: timeout
        }
      }
      const build = <I, S>(
        tag: Context.Tag<I, S>,
        layerConfig: (
          options: Omit<ApiOptions.OptionalKeyApiOptions, "apiKey" | "baseUrl">
        ) => Layer.Layer<I, ConfigError, HttpClient>
      ) =>
        connection.read(Effect.flatMap(Settings.rateLimitConfig, (configured) =>
          Layer.buildWithScope(
            layerConfig({ rateLimit: configured ?? connection.rateLimit, userAgent, ...timeouts }),
            scope
          ))).pipe(
            Effect.map(Context.get(tag)),
            Effect.provide(context)
          )
      return {
        data: build(DataApi.DataApi, DataApi.layerConfig),
        streams: build(StreamsApi.StreamsApi, StreamsApi.layerConfig),
        ledger: build(LedgerApi.LedgerApi, LedgerApi.layerConfig),
        ledgerTestnet: build(LedgerTestnetApi.LedgerTestnetApi, LedgerTestnetApi.layerConfig),
        readBaseUrl: connection.readBaseUrl
      }
    })
  )
