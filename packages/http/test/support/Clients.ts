/** Clients of all three APIs over a script. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
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

/** A store of the test's own where it provides one. */
const orElse = <I, S>(tag: Context.Tag<I, S>, memory: Effect.Effect<S>): Effect.Effect<S> =>
  Effect.flatMap(
    Effect.serviceOption(tag),
    Option.match({ onNone: () => memory, onSome: (store) => Effect.succeed(store) })
  )

/** An engine that lasts as long as its test. */
export const engine: Effect.Effect<Engine.EngineService> = Effect.flatMap(
  Scope.make(),
  (scope) => Scope.extend(Engine.make, scope)
).pipe(
  Effect.provideServiceEffect(
    RateLimitStore.RateLimitStore,
    orElse(RateLimitStore.RateLimitStore, RateLimitStore.memory)
  ),
  Effect.provideServiceEffect(
    CacheStore.CacheStore,
    orElse(CacheStore.CacheStore, CacheStore.memory())
  )
)

const make = (
  options: SceneOptions
): Effect.Effect<Clients, never, Engine.Engine | HttpClient.HttpClient> => {
  const common = { apiKey: Redacted.make(key), ...options }
  const at = (host: string) => "baseUrl" in options ? options.baseUrl : `https://${host}.test`
  return Effect.all({
    data: DataApi.make({ ...common, baseUrl: at("data") }),
    streams: StreamsApi.make({ ...common, baseUrl: at("streams") }),
    ledger: LedgerApi.make({ ...common, baseUrl: at("ledger"), testnetUrl: at("testnet") })
  })
}

/** Clients that send through `client`. */
export const over = (client: HttpClient.HttpClient, options: SceneOptions = {}): Effect.Effect<Clients> =>
  make(options).pipe(
    Effect.provideServiceEffect(Engine.Engine, engine),
    Effect.provideService(HttpClient.HttpClient, client)
  )

/** Clients over a script, and what they asked. */
export const scene = (script: Scripted.Script, options?: SceneOptions): Effect.Effect<Scene> => {
  const { asked, client } = Scripted.make(script)
  return Effect.map(over(client, options), (clients) => ({ ...clients, asked }))
}

export interface Shared<K extends string> {
  /** Every request so far, whoever sent it. */
  readonly asked: Array<Scripted.Asked>
  readonly clients: Readonly<Record<K, Clients>>
}

/** Clients that share one engine and one script, by name: other keys, other addresses, other policies. */
export const shared = <K extends string>(
  script: Scripted.Script,
  options: Readonly<Record<K, SceneOptions>>
): Effect.Effect<Shared<K>> => {
  const { asked, client } = Scripted.make(script)
  return Effect.runtime<Engine.Engine | HttpClient.HttpClient>().pipe(
    Effect.map((runtime) => ({
      asked,
      clients: Record.map(options, (one) => Runtime.runSync(runtime, make(one)))
    })),
    Effect.provideServiceEffect(Engine.Engine, engine),
    Effect.provideService(HttpClient.HttpClient, client)
  )
}

/** As many attempts as `attempts`, without any wait. */
export const atOnce = (attempts: number): RetryPolicy.RetryPolicy => ({
  attempts,
  base: { transient: 0, throttled: 0 },
  cap: 0,
  budget: RetryPolicy.standard.budget
})
