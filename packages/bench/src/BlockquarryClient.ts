/** Blockquarry clients with default policies. */
import * as DataApi from "@blockquarry/http/DataApi"
import { Engine } from "@blockquarry/http/Gateway"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export const apiKey = "bench"

export const clientOptions = (baseUrl: string) => ({ apiKey: Redacted.make(apiKey), baseUrl })

/** Creates a client of the data API. */
export const makeDataApi = (
  client: HttpClient.HttpClient,
  baseUrl: string
): Effect.Effect<DataApi.DataApiService> =>
  DataApi.make(clientOptions(baseUrl)).pipe(
    Effect.provide(Engine.layer),
    Effect.provideService(HttpClient.HttpClient, client),
    // The options are constants.
    Effect.orDie
  )
