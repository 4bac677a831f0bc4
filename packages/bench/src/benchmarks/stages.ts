/** The overhead of the stages of the engine without failures, without network. */
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import type { Policies } from "@blockquarry/http/ApiOptions"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as Engine from "@blockquarry/http/Engine"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { CacheMode } from "@blockquarry/http/ResponseCache"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Upstream from "@blockquarry/http/Upstream"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Benchmark } from "../Benchmark.ts"
import { apiKey, clientOptions } from "../BlockquarryClient.ts"
import { examplePrice, wallet } from "../Documents.ts"
import * as StubClient from "../StubClient.ts"
import { effectSubject } from "../Subject.ts"

const base = "http://stages.test"
const headers = { accept: "application/json", "x-api-key": apiKey }

const noPolicies: Policies = {
  cache: ResponseCache.none,
  timeouts: Timeouts.none,
  retry: RetryPolicy.none,
  rateLimit: RateLimit.none,
  breaker: CircuitBreaker.none,
  concurrency: ConcurrencyLimit.none
}

const input = Either.getOrThrow(decodeInput(tokenPrice, { address: wallet, chain: "eth" }))
const request = encodeRequest(tokenPrice, input)

/** High enough that no request has to wait. */
const highRateLimit = RateLimit.make({ limit: 1e9, window: "1 second" })

const compareStages = Effect.gen(function*() {
  const bytes = Buffer.from(examplePrice)
  const client = StubClient.makeStubClient(() => bytes)
  const engine = yield* Effect.map(Layer.build(Engine.layer), Context.get(Engine.Engine))
  const subjectWith = (name: string, policies: Partial<Policies>, cacheMode: CacheMode = "default") =>
    Upstream.make("data", { ...clientOptions(base), ...policies }).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.orDie,
      Effect.map((upstream) =>
        effectSubject(
          name,
          engine.raw(tokenPrice, upstream, Engine.bodyScan)(input, request).pipe(
            Effect.map(({ response }) => response.bytes.byteLength === bytes.byteLength ? 1 : 0),
            CallOptions.withCallOptions({ cacheMode })
          )
        )
      )
    )
  return {
    title: "stages of a raw price without network",
    unit: "call",
    records: 1,
    baseline: effectSubject(
      "HttpClient + arrayBuffer",
      client.get(`${base}/api/v2.2${request.path}?chain=eth`, { headers }).pipe(
        Effect.flatMap((response) => response.arrayBuffer),
        Effect.map(({ byteLength }) => byteLength === bytes.byteLength ? 1 : 0)
      )
    ),
    blockquarry: [
      yield* subjectWith("all policies off", noPolicies),
      yield* subjectWith("timeouts and retries", {
        ...noPolicies,
        timeouts: Timeouts.standard,
        retry: RetryPolicy.standard
      }),
      yield* subjectWith("default policies", {}),
      yield* subjectWith("+ rate limit", { rateLimit: highRateLimit }),
      yield* subjectWith("+ cache with cacheMode \"reload\"", {
        rateLimit: highRateLimit,
        cache: ResponseCache.standard
      }, "reload")
    ]
  } as const
})

export const stages: Benchmark = {
  name: "stages",
  comparisons: Effect.map(compareStages, (comparison) => [comparison])
}
