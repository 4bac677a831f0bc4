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
 */
import { type DataOperations, dataOperations } from "@blockquarry/core/Operations"
import * as Api from "./Api.ts"
import type { ApiClient, TestDoubles } from "./ApiClient.ts"
import type { ApiOptions, ConfigOptions } from "./ApiOptions.ts"

/** The client of the data API: one function for each operation. */
export interface DataApiService extends ApiClient<DataOperations> {}

/** The tag of the client of the data API. */
export class DataApi
  extends Api.Tag<DataApi>()("@blockquarry/http/DataApi", { operations: dataOperations })
{}

/** `Api.layer` of this API: from options. */
export const layer = (options: ApiOptions) => Api.layer(DataApi, options)

/** `Api.layerConfig` of this API. Its base URL is `QUARRY_BASE_URL`. */
export const layerConfig = (options?: ConfigOptions) => Api.layerConfig(DataApi, options)

/** `Api.layerTest` of this API: with test doubles of operations. */
export const layerTest = (doubles: TestDoubles<DataOperations>) => Api.layerTest(DataApi, doubles)
