/** Our clients, as the benchmarks use them: everything standard. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export const key = "bench"

export const options = (baseUrl: string) => ({ apiKey: Redacted.make(key), baseUrl })

/** The main API over a client of HTTP. */
export const dataApi = (
  client: HttpClient.HttpClient,
  baseUrl: string
): Effect.Effect<DataApi.DataApiService> =>
  DataApi.make(options(baseUrl)).pipe(
    Effect.provide(Engine.layer),
    Effect.provideService(HttpClient.HttpClient, client)
  )
