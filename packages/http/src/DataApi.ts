/**
 * The main API: transfers, NFTs, trades, holders, prices and activity.
 *
 * @example
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function*() {
 *   const data = yield* DataApi.DataApi
 *   return yield* data.walletTransfers.items({ address: "0x…", chain: "eth" }).pipe(Stream.take(10), Stream.runCollect)
 * })
 *
 * // Reads QUARRY_API_KEY and QUARRY_BASE_URL.
 * const main = program.pipe(Effect.provide(DataApi.layerConfig()), Effect.provide(FetchHttpClient.layer))
 *
 * @since 0.1.0
 */
import { dataOperations } from "@blockquarry/core/Operations"
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
 * The client of the main API: one method for each operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface DataApiService extends ApiClient.ApiClient<typeof dataOperations> {}

/**
 * @since 0.1.0
 * @category tags
 */
export class DataApi extends Context.Tag("@blockquarry/http/DataApi")<DataApi, DataApiService>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: ApiOptions
): Effect.Effect<DataApiService, never, Engine.Engine | HttpClient.HttpClient> =>
  Effect.zipWith(
    Engine.Engine,
    Upstream.make("data", options, Settings.baseUrl),
    (engine, upstream) => ApiClient.make(dataOperations, engine, upstream)
  )

/**
 * The client of the main API, from options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: ApiOptions): Layer.Layer<DataApi, never, HttpClient.HttpClient> =>
  Layer.provide(layerWithEngine(options), Engine.layer)

/**
 * The client of the main API over an engine of yours: one that shares its stores, say.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithEngine = (
  options: ApiOptions
): Layer.Layer<DataApi, never, Engine.Engine | HttpClient.HttpClient> => Layer.effect(DataApi, make(options))

/**
 * The client of the main API, from configuration: `QUARRY_API_KEY` and `QUARRY_BASE_URL` where nothing else is said.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  config: Config.Config.Wrap<ApiOptions> = Settings.data
): Layer.Layer<DataApi, ConfigError, HttpClient.HttpClient> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(config), layer))
