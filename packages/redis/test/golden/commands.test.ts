/** The commands that the stores send to Redis, and the keys that they leave there. */
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import * as DataApi from "@blockquarry/http/DataApi"
import { Engine } from "@blockquarry/http/Gateway"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestServices from "effect/TestServices"
import * as Redis from "../../src/Redis.ts"
import * as RedisCacheStore from "../../src/RedisCacheStore.ts"
import * as RedisRateLimitStore from "../../src/RedisRateLimitStore.ts"
import * as RedisStores from "../../src/RedisStores.ts"
import * as Inspector from "../support/Inspector.ts"
import * as RedisServer from "../support/RedisServer.ts"
import { until } from "../support/WaitUntil.ts"
import * as Commands from "./support/commands.ts"
import { record } from "./support/record.ts"

const minute = 60_000
const day = 24 * 60 * minute

const entryOf = (text: string, keepUntil: number): CacheEntry => ({
  response: {
    status: 200,
    headers: { "content-type": "application/json" },
    bytes: new TextEncoder().encode(text)
  },
  storedAt: 0,
  freshUntil: 5000,
  expiresAt: keepUntil
})

/** All keys: name, type, fields and time to live, to the minute. */
const keysOf = (inspector: Inspector.Inspector) =>
  Effect.gen(function*() {
    const found: Array<string> = []
    for (const key of (yield* inspector.keys).toSorted()) {
      // Gone within a second
      if (key.endsWith(":ping")) continue
      const type = yield* inspector.send((client) => client.type(key))
      const life = yield* inspector.send((client) => client.pttl(key))
      // Those of a daily quota are two
      const fields = type === "hash" ? yield* inspector.send((client) => client.hkeys(key)) : []
      found.push(
        [
          key,
          type,
          ...fields,
          fields.length === 2
            ? "for the rest of the day"
            : life < 0
            ? "for ever"
            : `for about ${Math.round((life + 5000) / minute)} min`
        ].join(" ")
      )
    }
    return found
  })

/** A result without how long it is until something, and with whole units. */
const untimed = (result: unknown): unknown =>
  Object.fromEntries(
    Object.entries(Object(result)).map(([name, value]) => [
      name,
      name === "millis" ? "<number>" : typeof value === "number" ? Math.round(value) : value
    ])
  )

const connected = Effect.gen(function*() {
  // Looked for again and again until it is there
  const server = yield* TestServices.provideLive(RedisServer.make())
  const inspector = yield* Inspector.make(server)
  // Connected from then on
  yield* inspector.time
  return { server, inspector, commands: yield* Commands.listen(server) }
})

describe.skipIf(RedisServer.program === undefined)(`commands${RedisServer.skipReason}`, () => {
  it.scoped("of the cache are as recorded", () =>
    Effect.gen(function*() {
      const { commands, inspector, server } = yield* connected
      const redis = yield* Layer.build(Redis.layer({ url: server.url }))
      const store = yield* Effect.provide(RedisCacheStore.make({ maxEntryBytes: 1000 }), redis)
      const other = yield* Layer.build(Redis.layer({ url: server.url, keyPrefix: "tenant*[1]:" }))
      const prefixed = yield* Effect.provide(RedisCacheStore.make(), other)
      const fill = Effect.all([
        store.set("first", entryOf("{}", minute)),
        store.set("second", entryOf("{}", minute))
      ])
      const found = {
        "get, there is none": yield* commands.of(store.get("first")),
        "set for a minute": yield* commands.of(store.set("first", entryOf("{\"a\":1}", minute))),
        "set for ever": yield* commands.of(store.set("first", entryOf("{}", Number.POSITIVE_INFINITY))),
        "set, its time is over": yield* commands.of(store.set("first", entryOf("{}", 0))),
        "set, too large": yield* commands.of(store.set("first", entryOf("x".repeat(1001), minute))),
        "get, there is one": yield* commands.of(store.get("first")),
        "remove": yield* commands.of(store.remove("first")),
        "keys of two answers": yield* Effect.zipRight(fill, keysOf(inspector)),
        "remove all": (yield* commands.of(store.clear)).map((line) =>
          line.startsWith("UNLINK") ? line.split(" ").toSorted().join(" ") : line
        ),
        "ping": yield* commands.of(store.ping),
        "with a prefix of its own: set": yield* commands.of(prefixed.set("first", entryOf("{}", minute))),
        "with a prefix of its own: remove all": yield* commands.of(prefixed.clear)
      }
      yield* Effect.promise(() => record("cache", found))
    }))

  it.scoped("of rate limits and daily quotas are as recorded", () =>
    Effect.gen(function*() {
      const { commands, inspector, server } = yield* connected
      const redis = yield* Layer.build(Redis.layer({ url: server.url }))
      const store = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 2, window: minute, burst: 2, maxCost: 5 }
      const unlimited = { limit: Number.POSITIVE_INFINITY, window: 1000, burst: 1 }
      const cap = { limit: 10, period: day }
      const results: Array<unknown> = []
      const told = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        commands.of(Effect.map(effect, (result) => results.push(result)))
      const found = {
        "take, the script is new": yield* told(store.acquire("budget", rule, 1, 500)),
        "take again": yield* told(store.acquire("budget", rule, 2, 500)),
        "take, no limit": yield* told(store.acquire("free", unlimited, 1, 500)),
        "pause for a second": yield* told(store.startCooldown("paused", 1000)),
        "pause without a duration": yield* told(store.startCooldown("paused", null)),
        "take in a pause": yield* told(store.acquire("paused", unlimited, 1, 500)),
        "settle, failed": yield* told(store.settleProbe("paused", false)),
        "settle, passed": yield* told(store.settleProbe("paused", true)),
        "spend": yield* told(store.consume("account", cap, 3)),
        "spend too much": yield* told(store.consume("account", cap, 8)),
        "spend without a limit": yield* told(
          store.consume("free", { limit: Number.POSITIVE_INFINITY, period: day }, 1)
        ),
        "look": yield* told(store.peek("account", cap)),
        "ping": yield* told(store.ping),
        "keys": yield* keysOf(inspector)
      }
      yield* Effect.promise(() => record("rateLimit", { ...found, results: results.map(untimed) }))
    }))

  it.scoped("of calls through a client are as recorded", () =>
    Effect.gen(function*() {
      const { commands, inspector, server } = yield* connected
      const replies = [200, 200, 429, 404]
      const client = HttpClient.make((request) =>
        Effect.sync(() => {
          const status = replies.shift() ?? 500
          return HttpClientResponse.fromWeb(
            request,
            new Response(status === 200 ? "{\"usdPrice\":1.5}" : "{}", {
              status,
              headers: {
                "content-type": "application/json",
                ...(status === 429 ? { "retry-after": "60" } : {})
              }
            })
          )
        })
      )
      const engine = Layer.provide(Engine.layerWithStores, RedisStores.layer({ url: server.url }))
      const api = DataApi.layerWithEngine({
        apiKey: Redacted.make("key-of-the-test"),
        baseUrl: "https://host.test",
        rateLimit: { ...RateLimit.make({ limit: 100, window: "1 second" }), dailyQuota: 1000, maxWait: 0 },
        cache: ResponseCache.standard,
        retry: {
          attempts: 1,
          baseDelay: { transient: 0, throttled: 0 },
          maxDelay: 0,
          budget: { capacity: 0, refill: 0 }
        }
      }).pipe(Layer.provide([engine, Layer.succeed(HttpClient.HttpClient, client)]))
      const data = Context.get(yield* Layer.build(api), DataApi.DataApi)
      const price = (number: number) =>
        Effect.ignore(data.tokenPrice({ address: `0x${String(number).repeat(40)}` }))
      /** The price, and that it is kept, which calls do not wait for: besides a rate limit and a daily quota. */
      const kept = (number: number) =>
        Effect.zipRight(
          price(number),
          TestServices.provideLive(
            until(Effect.map(inspector.keys, (keys) => keys.length === number + 2))
          )
        )
      const found = {
        "first call": yield* commands.of(kept(1)),
        "the same again, from the cache": yield* commands.of(price(1)),
        "another": yield* commands.of(kept(2)),
        "answered 429": yield* commands.of(price(3)),
        "in the pause": yield* commands.of(price(4)),
        "keys": yield* keysOf(inspector)
      }
      yield* Effect.promise(() => record("calls", found))
    }))
})
