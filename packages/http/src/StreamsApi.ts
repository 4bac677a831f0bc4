/** The streams API: the status of streams. */
import { type StreamsOperations, streamsOperations } from "@blockquarry/core/Operations"
import * as Api from "./Api.ts"
import type { ApiClient, TestDoubles } from "./ApiClient.ts"
import type { ApiOptions, ConfigOptions } from "./ApiOptions.ts"

/** The client of the streams API: one function for each operation. */
export interface StreamsApiService extends ApiClient<StreamsOperations> {}

/** The tag of the client of the streams API. */
export class StreamsApi
  extends Api.Tag<StreamsApi>()("@blockquarry/http/StreamsApi", { operations: streamsOperations })
{}

/** `Api.layer` of this API: from options. */
export const layer = (options: ApiOptions) => Api.layer(StreamsApi, options)

/** `Api.layerConfig` of this API. Its base URL is `QUARRY_STREAMS_URL`. */
export const layerConfig = (options?: ConfigOptions) => Api.layerConfig(StreamsApi, options)

/** `Api.layerTest` of this API: with test doubles of operations. */
export const layerTest = (doubles: TestDoubles<StreamsOperations>) => Api.layerTest(StreamsApi, doubles)
