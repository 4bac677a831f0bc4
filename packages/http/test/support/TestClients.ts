/** Clients of all three APIs over a script. */
import * as Api from "@blockquarry/http/Api"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Engine from "../../src/gateway/Engine.ts"
import * as ScriptedClient from "./ScriptedClient.ts"

/** An API key that occurs in no other text. */
export const key = "CANARY-7f3a9c51e2"

export interface Clients {
  readonly data: DataApi.DataApiService
  readonly streams: StreamsApi.StreamsApiService
  readonly ledger: LedgerApi.LedgerApiService
  readonly ledgerTestnet: LedgerTestnetApi.LedgerTestnetApiService
}

export interface Harness extends Clients {
  /** All requests so far. */
  readonly requests: Array<ScriptedClient.RecordedRequest>
}

/** Overrides of a test. Each API has its own base URL by default. */
export interface HarnessOptions extends Partial<ApiOptions> {}

/** Returns the store that the test provides, or one in memory. */
export const serviceOrDefault = <I, S>(tag: Context.Tag<I, S>, memory: Effect.Effect<S>): Effect.Effect<S> =>
  Effect.flatMap(
    Effect.serviceOption(tag),
    Option.match({ onNone: () => memory, onSome: (store) => Effect.succeed(store) })
  )

/** An engine with a scope that never closes. */
export const engine: Effect.Effect<Engine.EngineService> = Effect.flatMap(
  Scope.make(),
  (scope) => Scope.extend(Engine.make, scope)
).pipe(
  Effect.provideServiceEffect(
    RateLimitStore.RateLimitStore,
    serviceOrDefault(RateLimitStore.RateLimitStore, RateLimitStore.memory)
  ),
  Effect.provideServiceEffect(
    CacheStore.CacheStore,
    serviceOrDefault(CacheStore.CacheStore, CacheStore.memory())
  )
)

const make = (
  options: HarnessOptions
): Effect.Effect<Clients, never, Engine.Engine | HttpClient.HttpClient> => {
  const common = { apiKey: Redacted.make(key), ...options }
  const baseUrlOf = (host: string) => options.baseUrl ?? `https://${host}.test`
  return Effect.all({
    data: Api.make(DataApi.DataApi, { ...common, baseUrl: baseUrlOf("data") }),
    streams: Api.make(StreamsApi.StreamsApi, { ...common, baseUrl: baseUrlOf("streams") }),
    ledger: Api.make(LedgerApi.LedgerApi, { ...common, baseUrl: baseUrlOf("ledger") }),
    ledgerTestnet: Api.make(LedgerTestnetApi.LedgerTestnetApi, { ...common, baseUrl: baseUrlOf("testnet") })
    // Tests of invalid options build layers.
  }).pipe(Effect.orDie)
}

/** Creates clients that send through `client`. */
export const clientsOver = (
  client: HttpClient.HttpClient,
  options: HarnessOptions = {}
): Effect.Effect<Clients> =>
  make(options).pipe(
    Effect.provideServiceEffect(Engine.Engine, engine),
    Effect.provideService(HttpClient.HttpClient, client)
  )

/** Creates clients that send through the client of the test. */
export const connected = (
  options: HarnessOptions
): Effect.Effect<Clients, never, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (client) => clientsOver(client, options))

/** Creates clients over a script, and returns them with their requests. */
export const harness = (script: ScriptedClient.Script, options?: HarnessOptions): Effect.Effect<Harness> => {
  const { requests, client } = ScriptedClient.make(script)
  return Effect.map(clientsOver(client, options), (clients) => ({ ...clients, requests }))
}

export interface SharedEngineHarness<K extends string> {
  /** All requests so far, of any client. */
  readonly requests: Array<ScriptedClient.RecordedRequest>
  readonly clients: Readonly<Record<K, Clients>>
}

/** Creates clients by name that share one engine and one script, with different keys, base URLs and policies. */
export const sharedEngine = <K extends string>(
  script: ScriptedClient.Script,
  options: Readonly<Record<K, HarnessOptions>>
): Effect.Effect<SharedEngineHarness<K>> => {
  const { requests, client } = ScriptedClient.make(script)
  return Effect.runtime<Engine.Engine | HttpClient.HttpClient>().pipe(
    Effect.map((runtime) => ({
      requests,
      clients: Rec.map(options, (clientOptions) => Runtime.runSync(runtime, make(clientOptions)))
    })),
    Effect.provideServiceEffect(Engine.Engine, engine),
    Effect.provideService(HttpClient.HttpClient, client)
  )
}

/** A retry policy with `attempts` attempts and no backoff. */
export const immediateRetries = (attempts: number): RetryPolicy.RetryPolicy => ({
  attempts,
  baseDelay: { transient: 0, throttled: 0 },
  maxDelay: 0,
  budget: RetryPolicy.standard.budget
})
