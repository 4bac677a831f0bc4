/** What all stages of the engine cost together when nothing goes wrong; without network. */
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { readInput, writeRequest } from "@blockquarry/core/Wire"
import type { Policies } from "@blockquarry/http/ApiOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Concurrency from "@blockquarry/http/Concurrency"
import * as Engine from "@blockquarry/http/Engine"
import * as Override from "@blockquarry/http/Override"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { CacheMode } from "@blockquarry/http/ResponseCache"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Target from "@blockquarry/http/Target"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Benchmark } from "../Benchmark.ts"
import { running } from "../Contestant.ts"
import { price, wallet } from "../Documents.ts"
import { key, options } from "../Ours.ts"
import * as StubClient from "../StubClient.ts"

const base = "http://stages.test"
const headers = { accept: "application/json", "x-api-key": key }

const nothing: Policies = {
  cache: ResponseCache.none,
  timeouts: Timeouts.none,
  retry: RetryPolicy.none,
  rateLimit: RateLimit.none,
  breaker: CircuitBreaker.none,
  concurrency: Concurrency.none
}

const input = Either.getOrThrow(readInput(tokenPrice, { address: wallet, chain: "eth" }))
const request = writeRequest(tokenPrice, input)

/** So high that nothing waits. */
const limited = RateLimit.make({ limit: 1e9, window: "1 second" })

const race = Effect.gen(function*() {
  const bytes = Buffer.from(price)
  const client = StubClient.make(() => bytes)
  const engine = yield* Effect.map(Layer.build(Engine.layer), Context.get(Engine.Engine))
  const asking = (name: string, policies: Partial<Policies>, cacheMode: CacheMode = "default") =>
    Target.make("data", { ...options(base), ...policies }, "the base URL").pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.map((target) =>
        running(
          name,
          engine.raw(tokenPrice, target)(input, request).pipe(
            Effect.map(({ answer }) => answer.bytes.byteLength === bytes.byteLength ? 1 : 0),
            Override.effect({ cacheMode })
          )
        )
      )
    )
  return {
    title: "stages: a price, raw, nothing goes wrong, without network",
    unit: "call",
    records: 1,
    contestants: [
      running(
        "HttpClient + arrayBuffer",
        client.get(`${base}/api/v2.2${request.path}?chain=eth`, { headers }).pipe(
          Effect.flatMap((response) => response.arrayBuffer),
          Effect.map(({ byteLength }) => byteLength === bytes.byteLength ? 1 : 0)
        )
      ),
      yield* asking("every policy none", nothing),
      yield* asking("with times and retries", {
        ...nothing,
        timeouts: Timeouts.standard,
        retry: RetryPolicy.standard
      }),
      yield* asking("where nothing is said", {}),
      yield* asking("and a rate limit", { rateLimit: limited }),
      yield* asking("and the cache, asked anew", {
        rateLimit: limited,
        cache: ResponseCache.standard
      }, "reload")
    ]
  } as const
})

export const stages: Benchmark = { name: "stages", races: Effect.map(race, (race) => [race]) }
