/** Two proxies over one Redis share quotas, key limits, the cache and cooldowns. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { program } from "../support/program.ts"
import { eventually, eventuallySync } from "./support/Eventually.ts"
import * as FakeUpstream from "./support/FakeUpstream.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import {
  clientRateLimited,
  cost,
  daily,
  fast,
  free,
  maxCostInWindow,
  request,
  second,
  startLoads,
  withStableRedis
} from "./support/ProxyPair.ts"
import type { ProxyProcess } from "./support/ProxyProcess.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")(
  "a full check requires redis-server",
  () => {
    expect(RedisServer.program).toBeDefined()
  }
)

describe.skipIf(RedisServer.program === undefined)(
  `two proxies over one Redis${RedisServer.skipReason}`,
  () => {
    it.scopedLive(
      "share the rate limit and the daily quota of each client",
      () =>
        withStableRedis(program, "none", ({ proxies }) =>
          Effect.gen(function*() {
            const both = yield* startLoads(proxies, fast, 1, { pool: 4, pausing: 2 })
            const made = () => both.flatMap(({ requests }) => requests)
            const went = (made: ReadonlyArray<LoadGenerator.RecordedRequest>) =>
              made.filter(({ status }) => status === 200).length
            // A burst of 20, and 20 per second
            yield* eventuallySync("some seconds have passed", () => went(made()) > 80)
            yield* Effect.forEach(both, ({ stop }) => stop)
            yield* Effect.log(
              `60/s: at most ${maxCostInWindow(made(), second)} in a second; ${
                LoadGenerator.summarize(made())
              }`
            )
            expect(LoadGenerator.unexpectedFailures(made(), [clientRateLimited]).slice(0, 5)).toEqual([])
            expect(maxCostInWindow(made(), second)).toBeLessThanOrEqual(60 + 60)
            // No proxy is starved
            for (const { requests } of both) expect(went(requests)).toBeGreaterThan(10)

            // 100 prices, and one unit that suffices for no operation
            const responses = yield* Effect.forEach(
              Array.from({ length: 140 }, (_, index) => index),
              (index) =>
                request(
                  index % 2 === 0 ? proxies[0] : proxies[1],
                  LoadGenerator.pathOf(1 + index % 50),
                  daily
                ),
              { concurrency: 16 }
            )
            expect(responses.filter(({ status }) => status === 200)).toHaveLength(100)
            expect(responses.filter(({ status }) => status === 429)).toHaveLength(40)
          }))
    )

    it.scopedLive(
      "share the rate limit of each key",
      () =>
        withStableRedis(program, "120/s", ({ proxies, upstream }) =>
          Effect.gen(function*() {
            const both = yield* startLoads(proxies, free, 1, { pool: 8 })
            // A burst of 40, and 40 per second
            yield* eventuallySync("some seconds have passed", () => upstream.received.length > 160)
            yield* Effect.forEach(both, ({ stop }) => stop)
            const made = both.flatMap(({ requests }) => requests)
            yield* Effect.log(
              `120/s: at most ${
                cost * FakeUpstream.maxRequestsInWindow(upstream.received, second)
              } in a second at the service; ${LoadGenerator.summarize(made)}`
            )
            expect(LoadGenerator.unexpectedFailures(made).slice(0, 5)).toEqual([])
            // Requests admitted within 1 s arrive within slightly more, because of network latency
            expect(cost * FakeUpstream.maxRequestsInWindow(upstream.received, 0.8 * second))
              .toBeLessThanOrEqual(120 + 120)
            expect(upstream.received.length).toBe(made.filter(({ hit }) => !hit).length)
          }))
    )

    it.scopedLive(
      "share the cache and its invalidations",
      () =>
        withStableRedis(program, "none", ({ proxies: [one, other], upstream }) =>
          Effect.gen(function*() {
            const path = (address: number) => LoadGenerator.pathOf(address)
            const state = (proxy: ProxyProcess, address: number) =>
              Effect.map(request(proxy, path(address), free), ({ body, cache, status }) => {
                expect([status, JSON.parse(body)]).toEqual([
                  200,
                  expect.objectContaining({ tokenName: path(address) })
                ])
                return cache.includes("; hit") ? "hit" : "miss"
              })
            /** Cache writes complete shortly after the response. */
            const hits = (proxy: ProxyProcess, address: number) =>
              eventually(`${address} is a hit`, Effect.map(state(proxy, address), (state) => state === "hit"))
            /** Each proxy uses the responses in its memory for at most 2 s after another one purged them. */
            const misses = (proxy: ProxyProcess, address: number) =>
              eventually(
                `${address} is a miss`,
                Effect.map(state(proxy, address), (state) => state === "miss")
              )
            const purge = ({ adminOrigin }: ProxyProcess, query: string) =>
              Effect.promise(() =>
                fetch(`${adminOrigin}/purge${query}`, { method: "POST" }).then(({ status }) => status)
              )
            expect(yield* state(one, 1)).toBe("miss")
            yield* hits(other, 1)
            expect(yield* state(other, 2)).toBe("miss")
            yield* hits(one, 2)
            expect(yield* purge(one, `?target=${encodeURIComponent(path(1))}`)).toBe(200)
            yield* misses(other, 1)
            expect([yield* state(one, 2), yield* state(other, 2)]).toEqual(["hit", "hit"])
            yield* hits(one, 1)
            expect(yield* purge(other, "")).toBe(200)
            expect(yield* state(other, 2)).toBe("miss")
            yield* misses(one, 1)
            yield* Effect.all([hits(other, 1), hits(one, 2)])
            expect(upstream.received.length).toBeGreaterThanOrEqual(5)
          }))
    )

    it.scopedLive(
      "share the cooldown after a 429",
      () =>
        withStableRedis(program, "1000/s", ({ proxies: [one, other], upstream }) =>
          Effect.gen(function*() {
            const pause = 2
            upstream.respond = () => {
              upstream.respond = null
              return Effect.succeed({ status: 429, headers: { "retry-after": String(pause) }, body: "{}" })
            }
            const throttled = yield* Effect.fork(request(one, LoadGenerator.pathOf(1), free))
            yield* eventuallySync(
              "the upstream has sent a 429",
              () => upstream.respond === null && upstream.received.length === 1
            )
            const [first] = upstream.received
            const throttledAt = first?.receivedAt ?? 0
            yield* eventually(
              "the cooldown has started",
              Effect.map(
                Effect.promise(() =>
                  fetch(`${one.adminOrigin}/status.json`).then((response) => response.text())
                ),
                (text) => text.includes("throttled")
              )
            )
            const responses = yield* Effect.forEach(
              Array.from({ length: 20 }, (_, index) => index),
              (index) => request(index % 2 === 0 ? one : other, LoadGenerator.pathOf(2 + index), free),
              { concurrency: "unbounded" }
            )
            expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
            yield* throttled.await
            const after = upstream.received.slice(1).map(({ receivedAt }) => receivedAt - throttledAt)
            expect(after).toHaveLength(21)
            expect(after.filter((millis) => millis < pause * second - 50)).toEqual([])
            yield* Effect.log(`after a 429: ${after.slice(0, 4).map(Math.round).join(", ")} ms …`)
          }))
    )
  }
)
