/**
 * The data API: transfers, NFTs, trades, holders, prices and activity.
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
import type { dataOperations } from "@blockquarry/core/Operations"
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
 * The client of the data API: one function for each operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface DataApiService extends ApiClient<typeof dataOperations> {}

/**
 * The tag of the client of the data API.
 *
 * @since 0.1.0
 * @category tags
 */
export class DataApi extends Context.Tag("@blockquarry/http/DataApi")<DataApi, DataApiService>() {}

/**
 * Makes the client of the data API over the engine in context.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: ApiOptions
): Effect.Effect<DataApiService, ConfigError, Engine | HttpClient.HttpClient> =>
  ClientConstructors.make(ClientConstructors.data, options)

/**
 * The client of the data API, from options. Fails with a `ConfigError` if an option is invalid.
 *
 * The client shares rate limits, circuit breakers and cache with no other layer; `Blockquarry.layer` shares them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: ApiOptions
): Layer.Layer<DataApi, ConfigError, HttpClient.HttpClient> =>
  ClientConstructors.withOwnEngine(layerWithEngine(options))

/**
 * The client of the data API over the engine in context, from options.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithEngine = (
  options: ApiOptions
): Layer.Layer<DataApi, ConfigError, Engine | HttpClient.HttpClient> => Layer.effect(DataApi, make(options))

/**
 * The client of the data API, from environment variables:
 * `QUARRY_API_KEY`, `QUARRY_BASE_URL` and `QUARRY_RATE_LIMIT`. Options take precedence over them.
 *
 * Fails with a `ConfigError` that names the variable if the API key or the base URL is missing or if a value is invalid.
 *
 * @example
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as ResponseCache from "@blockquarry/http/ResponseCache"
 *
 * // The environment, and a cache
 * const DataApiLive = DataApi.layerConfig({ cache: ResponseCache.standard })
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Overrides<ApiOptions> = {}
): Layer.Layer<DataApi, ConfigError, HttpClient.HttpClient> =>
  ClientConstructors.withOwnEngine(
    Layer.effect(DataApi, ClientConstructors.makeConfig(ClientConstructors.data, options))
  )

/**
 * A client for tests. Operations without a test double die with a message that names them. Inputs are validated, and
 * `.pages` and `.items` call the test double for each page.
 *
 * @example
 * import * as TokenPrice from "@blockquarry/core/model/TokenPrice"
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as Effect from "effect/Effect"
 *
 * const DataApiTest = DataApi.layerTest({
 *   tokenPrice: () => Effect.succeed(TokenPrice.example({ usdPrice: 1.5 }))
 * })
 *
 * @since 0.1.0
 * @category testing
 */
export const layerTest = (doubles: TestDoubles<typeof dataOperations>): Layer.Layer<DataApi> =>
  Layer.sync(DataApi, () => ClientConstructors.makeTest(ClientConstructors.data, doubles))
