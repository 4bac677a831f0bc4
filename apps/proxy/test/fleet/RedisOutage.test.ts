/** Redis fails and recovers while two proxies share it: clients see no errors. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import * as Inspector from "../../../../packages/redis/test/support/Inspector.ts"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import { program } from "../support/program.ts"
import { eventually, eventuallySync } from "./support/Eventually.ts"
import * as LoadGenerator from "./support/LoadGenerator.ts"
import {
  clientRateLimited,
  fast,
  free,
  maxCostInWindow,
  request,
  second,
  start,
  startLoads
} from "./support/ProxyPair.ts"

/** Waits until both proxies have sent a heartbeat after the first heartbeats of both. */
const haveCountedEachOther = (redis: RedisServer.RedisServer) =>
  Effect.gen(function*() {
    const inspector = yield* Inspector.make(redis)
    const heartbeatsAfter = (time: number) =>
      inspector.send((client) => client.zcount("quarry:processes:1", `(${time}`, "+inf"))
    yield* eventually("both have sent a heartbeat", Effect.map(heartbeatsAfter(0), (count) => count === 2))
    const now = yield* inspector.time
    yield* eventually("both have sent another one", Effect.map(heartbeatsAfter(now), (count) => count === 2))
  }).pipe(Effect.scoped)

describe.skipIf(RedisServer.program === undefined)(
  `two proxies over one Redis${RedisServer.skipReason}`,
  () => {
    it.scopedLive(
      "serve requests without errors while Redis is killed, paused and replaced",
      () =>
        Effect.gen(function*() {
          const { proxies, redis } = yield* start(program, "3000/s")
          const [one, other] = proxies
          const hasty = yield* startLoads(proxies, free, 1, { pool: 4, pipelined: 2, pausing: 2 })
          const limited = yield* startLoads(proxies, fast, 3, { pool: 2 })
          const all = [...hasty, ...limited]
          const more = Effect.suspend(() => {
            const before = all.map(({ requests }) => requests.length)
            return eventuallySync(
              "requests are made through both",
              () => all.every(({ requests }, index) => requests.length > (before[index] ?? 0) + 30)
            )
          })
          /** Whether the last log line of both stores, at every proxy, reports this state. */
          const are = (state: "unavailable" | "available again") =>
            eventuallySync(`the stores are ${state}`, () =>
              proxies.every((proxy) =>
                ["rate limit", "cache"].every((store) =>
                  String(
                    proxy.log().findLast(({ message }) =>
                      String(message).includes(`the ${store} store is`)
                    )
                      ?.["message"]
                  ).includes(`the ${store} store is ${state}`)
                )
              ))
          const shared = (address: number) =>
            eventually(
              "a response that one proxy cached is a hit at the other",
              Effect.gen(function*() {
                const path = LoadGenerator.pathOf(address + sent.requests++)
                yield* request(one, path, free)
                const response = yield* request(other, path, free)
                return response.cache.includes("; hit")
              })
            )
          const sent = { requests: 0 }
          yield* more
          yield* shared(500_000_000)
          yield* haveCountedEachOther(redis)

          const faults: ReadonlyArray<
            readonly [
              name: string,
              begin: Effect.Effect<void>,
              end: Effect.Effect<void, RedisServer.Unavailable>
            ]
          > = [
            ["killed, and started again, empty", redis.stop, redis.start],
            ["paused and resumed", redis.pause, redis.resume],
            ["paused, and replaced by an empty one", redis.pause, redis.restart]
          ]
          for (const [name, begin, end] of sample(faults, 3)) {
            const lost = performance.now()
            yield* begin
            yield* are("unavailable")
            const away = performance.now()
            yield* more
            // Long enough to observe the rate limit
            yield* eventuallySync("more than a second has passed", () =>
              performance.now() > away + 1.2 * second)
            const back = performance.now()
            yield* end
            yield* are("available again")
            yield* more
            yield* shared(500_000_000)
            const within = (load: LoadGenerator.RunningLoad) =>
              load.requests.filter(({ startedAt, durationMs }) =>
                startedAt > away && startedAt + durationMs < back
              )
            const slow = all.flatMap(({ requests }) =>
              requests
            ).filter(({ startedAt, durationMs }) =>
              startedAt + durationMs > lost
            )
            yield* Effect.log(
              `Redis ${name}: away for ${Math.round(back - away)} ms, missed after ${
                Math.round(away - lost)
              } ms; ` +
                `60/s: ${
                  limited.map((load) => maxCostInWindow(within(load), second)).join(" and ")
                } in a second; ${LoadGenerator.summarize(slow)}`
            )
            // Each proxy enforces half of the limit. Requests that started within a second may be charged later.
            for (const load of limited) {
              const slowestMs = Math.max(...within(load).map(({ durationMs }) => durationMs))
              expect(maxCostInWindow(within(load), second), name)
                .toBeLessThanOrEqual((60 + 60 * (1 + slowestMs / second)) / 2)
              expect(within(load).some(({ status }) => status === 200), name).toBe(true)
            }
          }
          yield* Effect.forEach(all, ({ stop }) => stop)
          expect(hasty.flatMap(({ requests }) => LoadGenerator.unexpectedFailures(requests)).slice(0, 5))
            .toEqual([])
          expect(
            limited.flatMap(({ requests }) => LoadGenerator.unexpectedFailures(requests, [clientRateLimited]))
              .slice(0, 5)
          ).toEqual([])
          for (const { exit, signal } of proxies) {
            yield* signal("SIGTERM")
            expect(yield* exit).toEqual({ code: 0, signal: null })
          }
        })
    )

    it.scopedLive.each(
      sample<readonly ["open" | "closed", ReadonlyArray<string>]>([
        ["closed", ["store-unavailable"]],
        ["open", []]
      ], 2)
    )(
      "that are %s respond while Redis is unavailable, with no errors besides %j",
      ([whenUnavailable, codes]) =>
        Effect.gen(function*() {
          const { proxies, redis } = yield* start(program, "3000/s", whenUnavailable)
          const loads = yield* startLoads(proxies, fast, 3, { pool: 2 })
          const more = Effect.suspend(() => {
            const before = loads.map(({ requests }) => requests.length)
            return eventuallySync(
              "requests are made through both",
              () => loads.every(({ requests }, index) => requests.length > (before[index] ?? 0) + 30)
            )
          })
          const are = (state: "unavailable" | "available again") =>
            eventuallySync(`the rate limit stores are ${state}`, () =>
              proxies.every((proxy) =>
                String(
                  proxy.log().findLast(({ message }) => String(message).includes("the rate limit store is"))
                    ?.["message"]
                ).includes(`is ${state}`)
              ))
          yield* more
          for (const [begin, end] of [[redis.stop, redis.start], [redis.pause, redis.resume]] as const) {
            yield* begin
            yield* are("unavailable")
            yield* more
            yield* end
            yield* are("available again")
            yield* more
          }
          yield* Effect.forEach(loads, ({ stop }) => stop)
          const requests = loads.flatMap((load) => load.requests)
          expect(LoadGenerator.unexpectedFailures(requests, [clientRateLimited, ...codes]).slice(0, 5))
            .toEqual([])
          expect(LoadGenerator.unexpectedFailures(requests, [clientRateLimited]).length > 0).toBe(
            whenUnavailable === "closed"
          )
        })
    )
  }
)
