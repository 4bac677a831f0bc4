/** Blockquarry clients with default policies. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** As long as real API keys, because responses are searched for them. */
export const apiKey = "bench-key-0123456789abcdef0123456789abcd"

/** Different API keys of the same length. */
export const apiKeys = (count: number): ReadonlyArray<ApiKey> =>
  Array.from({ length: count }, (_, index) => ({
    label: `key ${index}`,
    key: Redacted.make(`${String(index).padStart(6, "0")}${apiKey.slice(6)}`)
  }))

export const clientOptions = (baseUrl: string) => ({ apiKey: Redacted.make(apiKey), baseUrl })

/** Creates a client of the data API with an engine of its own. `transport` provides its `HttpClient`. */
export const makeDataApi = (
  transport: Context.Context<HttpClient.HttpClient>,
  options: ApiOptions
): Effect.Effect<DataApi.DataApiService, never, Scope.Scope> =>
  Layer.build(DataApi.layer(options)).pipe(
    Effect.map(Context.get(DataApi.DataApi)),
    Effect.provide(transport),
    // The options are constants.
    Effect.orDie
  )
