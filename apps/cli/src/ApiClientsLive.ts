/** Builds the clients. A separate module, loaded when a command runs: help does not need it. */
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
import { ApiClients } from "./ApiClients.ts"
import { type Connection, userAgent } from "./Connection.ts"

/**
 * Builds each client when it is first used, so that a command needs no configuration of other APIs.
 *
 * `timeout` replaces the timeout of a call; an attempt may take a quarter of it if that is more than the default.
 */
export const layer = (
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
