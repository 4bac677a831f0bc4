/** Tests calls whose Redis replies slowly: they end in time, do not fail, and count once. */
import * as Api from "@blockquarry/http/Api"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/Engine"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as NetworkProxy from "./support/NetworkProxy.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const upstream = HttpClient.make((request) =>
  Effect.sync(() =>
    HttpClientResponse.fromWeb(
      request,
      new Response("{\"usdPrice\":1.5}", { headers: { "content-type": "application/json" } })
    )
  )
)

describe.skipIf(RedisServer.program === undefined)(`a slow Redis${RedisServer.skipReason}`, () => {
  it.scopedLive(
    "fails no call, although the replies that a call needs take longer than it may",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        const relay = yield* NetworkProxy.make(server.port)
        const engine = Layer.provide(
          Engine.layerWithStores,
          RedisStores.layer({ url: `redis://127.0.0.1:${relay.port}` })
        )
        const context = yield* Layer.build(
          Api.layerWithEngine(DataApi.DataApi, {
            apiKey: Redacted.make("key-of-the-test"),
            baseUrl: "https://host.test",
            cache: ResponseCache.standard,
            rateLimit: { ...RateLimit.make({ limit: 1000, window: "1 hour" }), dailyQuota: 1000 },
            timeouts: { attempt: "2 seconds", call: "2 seconds" }
          }).pipe(Layer.provide([engine, Layer.succeed(HttpClient.HttpClient, upstream)]))
        )
        const data = Context.get(context, DataApi.DataApi)
        /** Returns a field of the only hash with a prefix. */
        const fieldOf = (prefix: string, field: string) =>
          Effect.flatMap(inspector.keys, (keys) =>
            inspector.send((client) =>
              client.hget(
                keys.find((key) => key.startsWith(prefix)) ?? "none",
                field
              )
            ))
        const price = (number: number) => data.tokenPrice({ address: `0x${String(number).repeat(40)}` })
        yield* price(1)
        const used = yield* fieldOf("quarry:quota:", "consumed")
        expect(Number(used)).toBeGreaterThan(0)

        // Less than a stalled connection, which is an outage. A success shows that a call ended before its deadline.
        yield* relay.delayReplies(900)
        const prices = yield* Effect.all([price(2), price(3)], { concurrency: 2 })
        expect(prices).toMatchObject([{ usdPrice: 1.5 }, { usdPrice: 1.5 }])

        // Redis counts what was sent, although it replied too late.
        yield* until(
          Effect.map(
            fieldOf("quarry:quota:", "consumed"),
            (consumed) => Number(consumed) === 3 * Number(used)
          )
        )
      })
  )
})
