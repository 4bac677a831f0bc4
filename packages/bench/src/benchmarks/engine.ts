/** The engine without network: a raw call, its stages, cache hits and the rate limiter. */
import type { Operation } from "@blockquarry/core/Operation"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import type { Policies } from "@blockquarry/http/ApiOptions"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as EffectCache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/RateLimiter"
import type * as Scope from "effect/Scope"
import type { Benchmark, Comparison, Subject } from "../Comparison.ts"
import { examplePrice, formatSize, pageSize, transfersPage } from "../Documents.ts"
import { input, makeDataApi, makeRawCalls } from "../Library.ts"
import { effectSubject, syncSubject } from "../Subject.ts"

const page = transfersPage("strings", "next")

const compareRaw = <I, A, O, W>(
  title: string,
  body: string,
  operation: Operation<I, A, O, W>,
  target?: Subject["target"]
): Effect.Effect<Comparison, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { baseline, call, response } = yield* makeRawCalls(operation, body)
    const json = Effect.as(Effect.flatMap(response, (response) => response.json), 1)
    return {
      title: `raw ${title} without network, ${formatSize(body)}`,
      unit: "call",
      records: 1,
      baseline,
      peers: [effectSubject("HttpClient + json", json)],
      blockquarry: [{ ...effectSubject("Engine.raw", yield* call()), ...(target && { target }) }]
    }
  })

/** The overhead of `Engine.raw` over its HttpClient. */
export const raw: Benchmark = {
  name: "raw",
  comparisons: Effect.all([
    compareRaw("price", examplePrice, tokenPrice),
    compareRaw("page", page, walletTransfers, { ratio: 1.5 })
  ])
}

const noPolicies: Policies = {
  cache: ResponseCache.none,
  timeouts: Timeouts.none,
  retry: RetryPolicy.none,
  rateLimit: RateLimit.none,
  breaker: CircuitBreaker.none,
  concurrency: ConcurrencyLimit.none
}

/** High enough that no request has to wait. */
const limit = 1_000_000_000

const rateLimit = RateLimit.make({ limit, window: "1 second" })

/** The overhead of the stages of the engine without failures. */
export const stages: Benchmark = {
  name: "stages",
  comparisons: Effect.gen(function*() {
    const { baseline, call } = yield* makeRawCalls(tokenPrice, examplePrice)
    const [timeouts, retry] = [Timeouts.standard, RetryPolicy.standard]
    const reload = yield* call({ rateLimit, cache: ResponseCache.standard })
    return [{
      title: "stages of a raw price without network",
      unit: "call",
      records: 1,
      baseline,
      blockquarry: [
        effectSubject("all policies off", yield* call(noPolicies)),
        effectSubject("timeouts and retries", yield* call({ ...noPolicies, timeouts, retry })),
        effectSubject("default policies", yield* call()),
        effectSubject("+ rate limit", yield* call({ rateLimit })),
        effectSubject(
          "+ cache with cacheMode \"reload\"",
          CallOptions.withCallOptions(reload, { cacheMode: "reload" })
        )
      ]
    }]
  })
}

/** Cache hits, raw and decoded. */
export const hits: Benchmark = {
  name: "hits",
  comparisons: Effect.gen(function*() {
    const { bytes, call, client, countIfComplete } = yield* makeRawCalls(walletTransfers, page)
    const cached = { cache: ResponseCache.standard }
    const data = yield* makeDataApi(client, cached)
    const response = { status: 200, headers: {}, bytes }
    const map = new Map([["key", response]])
    const store = yield* CacheStore.memory()
    yield* store.set("key", { response, version: 0, storedAt: 0, freshUntil: 1, expiresAt: 1 })
    const effectCache = yield* EffectCache.make({
      capacity: 1000,
      timeToLive: "1 hour",
      lookup: (key: string) => key === "key" ? Effect.succeed(response) : Effect.dieMessage(key)
    })
    const fromEffectCache = Effect.map(
      effectCache.get("key"),
      ({ bytes }) => countIfComplete(bytes.byteLength)
    )
    const fromStore = Effect.map(
      store.get("key"),
      (entry) => countIfComplete(entry?.response.bytes.byteLength ?? 0)
    )
    const decoded = Effect.map(
      data.walletTransfers(input),
      ({ result }) => result.length === pageSize ? 1 : 0
    )
    return [{
      title: "hit through the library, 91 KB",
      unit: "hit",
      records: 1,
      baseline: syncSubject("Map", () => countIfComplete(map.get("key")?.bytes.byteLength ?? 0)),
      peers: [effectSubject("effect/Cache", fromEffectCache)],
      blockquarry: [
        effectSubject("CacheStore.memory", fromStore),
        { ...effectSubject("Engine.raw", yield* call(cached)), target: { cost: 4 } },
        { ...effectSubject("DataApi.walletTransfers", decoded), target: { cost: 10 } }
      ]
    }]
  })
}

/** Acquisition of permits without waiting. */
export const limiter: Benchmark = {
  name: "limiter",
  comparisons: Effect.gen(function*() {
    const store = yield* RateLimitStore.memory
    const rule = { limit, window: 1000, burst: limit }
    const bucket = yield* RateLimiter.make({ limit, interval: "1 second", algorithm: "token-bucket" })
    let [level, at] = [0, 0]
    return [{
      title: "acquire a permit",
      unit: "permit",
      records: 1,
      baseline: syncSubject("Date.now and a leaky bucket", () => {
        const now = Date.now()
        level = Math.max(0, level - (now - at)) + 1
        at = now
        return 1
      }),
      peers: [effectSubject("effect/RateLimiter", bucket(Effect.succeed(1)))],
      blockquarry: [
        effectSubject("RateLimitStore.memory", Effect.as(store.acquire("budget", rule, 1, 1000), 1))
      ]
    }]
  })
}
