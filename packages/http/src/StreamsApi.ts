/**
 * The streams API: the status of streams.
 *
 * @since 0.1.0
 */
import type { streamsOperations } from "@blockquarry/core/Operations"
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApiClient, TestDoubles } from "./ApiClient.ts"
import type { ApiOptions, Overrides } from "./ApiOptions.ts"
import type { Engine } from "./Engine.ts"
import * as ClientConstructors from "./internal/ClientConstructors.ts"

/**
 * The client of the streams API: one function for each operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamsApiService extends ApiClient<typeof streamsOperations> {}

/**
 * The tag of the client of the streams API.
 *
 * @since 0.1.0
 * @category tags
 */
export class StreamsApi
  extends Context.Tag("@blockquarry/http/StreamsApi")<StreamsApi, StreamsApiService>()
{}

/**
 * Makes the client of the streams API over the engine in context.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: ApiOptions
): Effect.Effect<StreamsApiService, ConfigError, Engine | HttpClient.HttpClient> =>
  ClientConstructors.make(ClientConstructors.streams, options)

/**
 * The client of the streams API, from options. Fails with a `ConfigError` if an option is invalid.
 *
 * The client shares rate limits, circuit breakers and cache with no other layer; `Blockquarry.layer` shares them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: ApiOptions
): Layer.Layer<StreamsApi, ConfigError, HttpClient.HttpClient> =>
  ClientConstructors.withOwnEngine(layerWithEngine(options))

/**
 * The client of the streams API over the engine in context, from options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithEngine = (
  options: ApiOptions
): Layer.Layer<StreamsApi, ConfigError, Engine | HttpClient.HttpClient> =>
  Layer.effect(StreamsApi, make(options))

/**
 * The client of the streams API, from environment variables:
 * `QUARRY_API_KEY`, `QUARRY_STREAMS_URL` and `QUARRY_RATE_LIMIT`. Options take precedence over them.
 *
 * Fails with a `ConfigError` that names the variable if the API key or the base URL is missing or if a value is invalid.
 *
 * @example
 * import * as StreamsApi from "@blockquarry/http/StreamsApi"
 * import * as ResponseCache from "@blockquarry/http/ResponseCache"
 *
 * // The environment, and a cache
 * const StreamsApiLive = StreamsApi.layerConfig({ cache: ResponseCache.standard })
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Overrides<ApiOptions> = {}
): Layer.Layer<StreamsApi, ConfigError, HttpClient.HttpClient> =>
  ClientConstructors.withOwnEngine(
    Layer.effect(StreamsApi, ClientConstructors.makeConfig(ClientConstructors.streams, options))
  )

/**
 * A client for tests. Operations without a test double die with a message that names them. Inputs are validated, and
 * `.pages` and `.items` call the test double for each page.
 *
 * @example
 * import * as StreamRecord from "@blockquarry/core/model/StreamRecord"
 * import * as StreamsApi from "@blockquarry/http/StreamsApi"
 * import * as Effect from "effect/Effect"
 *
 * const StreamsApiTest = StreamsApi.layerTest({
 *   updateStreamStatus: ({ status }) => Effect.succeed(StreamRecord.example({ status }))
 * })
 *
 * @since 0.1.0
 * @category testing
 */
export const layerTest = (doubles: TestDoubles<typeof streamsOperations>): Layer.Layer<StreamsApi> =>
  Layer.sync(StreamsApi, () => ClientConstructors.makeTest(ClientConstructors.streams, doubles))
