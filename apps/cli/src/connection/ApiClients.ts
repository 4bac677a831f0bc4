/** The clients of the upstreams, for the sandbox or for the configured service. */
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import * as Api from "@blockquarry/http/Api"
import type * as ApiClient from "@blockquarry/http/ApiClient"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as Settings from "@blockquarry/http/Settings"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CommandSettings } from "../config/CommandSettings.ts"
import type { UsageError } from "../errors/CommandError.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import { connect, type Connection, type ConnectionError } from "./Connection.ts"
import type { HttpTransport } from "./HttpTransport.ts"

/** Each client fails if its configuration is missing or invalid, so that a command needs none of other APIs. */
export interface ApiClientsService {
  readonly data: Effect.Effect<DataApi.DataApiService, ConnectionError>
  readonly streams: Effect.Effect<StreamsApi.StreamsApiService, ConnectionError>
  readonly ledger: Effect.Effect<LedgerApi.LedgerApiService, ConnectionError>
  readonly ledgerTestnet: Effect.Effect<LedgerTestnetApi.LedgerTestnetApiService, ConnectionError>
  readonly baseUrl: Connection["baseUrl"]
}

export class ApiClients extends Context.Tag("@blockquarry/cli/ApiClients")<ApiClients, ApiClientsService>() {}

/** The timeout of a command is that of a call; an attempt may take a quarter of it if that is more than the default. */
const timeoutsOf = ({ timeout }: CommandSettings): Timeouts.Timeouts =>
  timeout === null ? Timeouts.standard : {
    attempt: Duration.max(Timeouts.standard.attempt, Duration.times(timeout, 0.25)),
    call: timeout
  }

/** None: a command waits and retries by itself, and an open circuit would reject the other inputs of a command. */
const breaker = { minimum: Number.POSITIVE_INFINITY }

/** Connects the clients to the sandbox, or to the configured service. */
export const layerFromSettings = (
  settings: CommandSettings
): Layer.Layer<ApiClients, UsageError, HttpTransport | CommandTerminal> =>
  Layer.scoped(
    ApiClients,
    Effect.gen(function*() {
      const { baseUrl, client, endpoint } = yield* connect(settings)
      // One engine, so that all inputs of a command share its rate limit
      const services = yield* Layer.build(Layer.merge(Engine.layer, client))
      const timeouts = timeoutsOf(settings)
      const clientOf = <Self, Operations extends ApiClient.Operations>(
        api: Api.Api<Self, Operations, Api.ApiKeyRequirement>,
        upstream: UpstreamName
      ): Effect.Effect<ApiClient.ApiClient<Operations>, ConnectionError> =>
        Effect.gen(function*() {
          const options = yield* endpoint(upstream)
          return yield* Api.makeConfig(api, { ...options, timeouts, breaker }, {
            apiKey: Settings.apiKey,
            baseUrl: baseUrlSettings[upstream].variable
          }).pipe(
            Effect.provide(services),
            // The endpoint is valid
            Effect.catchTag("ConfigError", Effect.die)
          )
        })
      return {
        data: clientOf(DataApi.DataApi, "data"),
        streams: clientOf(StreamsApi.StreamsApi, "streams"),
        ledger: clientOf(LedgerApi.LedgerApi, "ledger"),
        ledgerTestnet: clientOf(LedgerTestnetApi.LedgerTestnetApi, "ledgerTestnet"),
        baseUrl
      }
    })
  )
