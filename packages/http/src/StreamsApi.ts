/**
 * The streams API: the status of streams.
 *
 * @since 0.1.0
 */
import { streamsOperations } from "@blockquarry/core/Operations"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApiClient from "./ApiClient.ts"
import type { ApiOptions } from "./ApiOptions.ts"
import * as Engine from "./internal/pipeline/Engine.ts"
import * as Upstream from "./internal/pipeline/Upstream.ts"
import * as Settings from "./Settings.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface StreamsApiService extends ApiClient.ApiClient<typeof streamsOperations> {}

/**
 * @since 0.1.0
 * @category tags
 */
export class StreamsApi
  extends Context.Tag("@blockquarry/http/StreamsApi")<StreamsApi, StreamsApiService>()
{}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: ApiOptions
): Effect.Effect<StreamsApiService, never, Engine.Engine | HttpClient.HttpClient> =>
  Effect.zipWith(
    Engine.Engine,
    Upstream.make("streams", options, Settings.streamsUrl),
    (engine, upstream) => ApiClient.make(streamsOperations, engine, upstream)
  )

/**
 * The client of the streams API, from options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: ApiOptions): Layer.Layer<StreamsApi, never, HttpClient.HttpClient> =>
  Layer.provide(layerWithEngine(options), Engine.layer)

/**
 * The client of the streams API over an engine of yours: one that shares its stores, say.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithEngine = (
  options: ApiOptions
): Layer.Layer<StreamsApi, never, Engine.Engine | HttpClient.HttpClient> =>
  Layer.effect(StreamsApi, make(options))

/**
 * The client of the streams API, from configuration: `QUARRY_API_KEY` and `QUARRY_STREAMS_URL` where nothing else
 * is said.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  config: Config.Config.Wrap<ApiOptions> = Settings.streams
): Layer.Layer<StreamsApi, ConfigError, HttpClient.HttpClient> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(config), layer))
