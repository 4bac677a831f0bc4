/** Clients of all three APIs over a script. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import type { RetryPolicy } from "@blockquarry/http/RetryPolicy"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scripted from "./Scripted.ts"

/** A key that no other text contains. */
export const key = "CANARY-7f3a9c51e2"

export interface Clients {
  readonly data: DataApi.DataApiService
  readonly streams: StreamsApi.StreamsApiService
  readonly ledger: LedgerApi.LedgerApiService
}

export interface Scene extends Clients {
  /** Every request so far. */
  readonly asked: Array<Scripted.Asked>
}

/** What a test may say otherwise; each address stands for itself. */
export interface SceneOptions extends Partial<ApiOptions> {}

/** Clients that send through `client`. */
export const over = (client: HttpClient.HttpClient, options: SceneOptions = {}): Effect.Effect<Clients> => {
  const common = { apiKey: Redacted.make(key), ...options }
  const at = (host: string) => "baseUrl" in options ? options.baseUrl : `https://${host}.test`
  return Effect.all({
    data: DataApi.make({ ...common, baseUrl: at("data") }),
    streams: StreamsApi.make({ ...common, baseUrl: at("streams") }),
    ledger: LedgerApi.make({ ...common, baseUrl: at("ledger"), testnetUrl: at("testnet") })
  }).pipe(Effect.provide(Engine.layer), Effect.provideService(HttpClient.HttpClient, client))
}

/** Clients over a script, and what they asked. */
export const scene = (script: Scripted.Script, options?: SceneOptions): Effect.Effect<Scene> => {
  const { asked, client } = Scripted.make(script)
  return Effect.map(over(client, options), (clients) => ({ ...clients, asked }))
}

/** As many attempts as `attempts`, without any wait. */
export const atOnce = (attempts: number): RetryPolicy => ({
  attempts,
  base: { transient: 0, throttled: 0 },
  cap: 0
})
