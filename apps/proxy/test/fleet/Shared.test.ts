/** Two proxies over one Redis: one budget for each client and each key, one cache, one pause. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedisServer from "../../../../packages/redis/test/support/RedisServer.ts"
import * as Built from "./support/Built.ts"
import * as Load from "./support/Load.ts"
import { ask, cost, daily, fast, free, loads, most, over, second, undisturbed } from "./support/Pair.ts"
import type { Process } from "./support/Program.ts"
import { until, untilSync } from "./support/Until.ts"
import * as Upstream from "./support/Upstream.ts"

const program = Built.program()

it.runIf(process.env["QUARRY_CHECK"] === "1")(
  "a full check leaves nothing out: there is a redis-server",
  () => {
    expect(RedisServer.program).toBeDefined()
  }
)

describe.skipIf(RedisServer.program === undefined)(`two proxies over one Redis${RedisServer.unless}`, () => {
  it.scopedLive(
    "have one budget for each client, by the second and by the day",
    () =>
      undisturbed(program(), "none", ({ proxies }) =>
        Effect.gen(function*() {
          const both = yield* loads(proxies, fast, 1, { pool: 4, pausing: 2 })
          const made = () => both.flatMap(({ made }) => made)
          const went = (made: ReadonlyArray<Load.Made>) => made.filter(({ status }) => status === 200).length
          // 20 at once, and 20 in a second
          yield* untilSync("some seconds have passed", () => went(made()) > 80)
          yield* Effect.forEach(both, ({ stop }) => stop)
          yield* Effect.log(`60/s: at most ${most(made(), second)} in a second; ${Load.figures(made())}`)
          expect(Load.failed(made(), [over]).slice(0, 5)).toEqual([])
          expect(most(made(), second)).toBeLessThanOrEqual(60 + 60)
          // Neither is left behind
          for (const { made } of both) expect(went(made)).toBeGreaterThan(10)

          // 100 prices and one unit, of which nobody can make anything
          const asked = yield* Effect.forEach(
            Array.from({ length: 140 }, (_, index) => index),
            (index) => ask(index % 2 === 0 ? proxies[0] : proxies[1], Load.pathOf(1 + index % 50), daily),
            { concurrency: 16 }
          )
          expect(asked.filter(({ status }) => status === 200)).toHaveLength(100)
          expect(asked.filter(({ status }) => status === 429)).toHaveLength(40)
        })),
    120_000
  )

  it.scopedLive(
    "have one budget for each key",
    () =>
      undisturbed(program(), "120/s", ({ proxies, upstream }) =>
        Effect.gen(function*() {
          const both = yield* loads(proxies, free, 1, { pool: 8 })
          // 40 at once, and 40 in a second
          yield* untilSync("some seconds have passed", () => upstream.asked.length > 160)
          yield* Effect.forEach(both, ({ stop }) => stop)
          const made = both.flatMap(({ made }) => made)
          yield* Effect.log(
            `120/s: at most ${cost * Upstream.most(upstream.asked, second)} in a second at the service; ${
              Load.figures(made)
            }`
          )
          expect(Load.failed(made).slice(0, 5)).toEqual([])
          // What is let through within a second is there within a little more: some of them take a moment on their way
          expect(cost * Upstream.most(upstream.asked, 0.8 * second)).toBeLessThanOrEqual(120 + 120)
          expect(upstream.asked.length).toBe(made.filter(({ hit }) => !hit).length)
        })),
    120_000
  )

  it.scopedLive(
    "have one cache, and forget together",
    () =>
      undisturbed(program(), "none", ({ proxies: [one, other], upstream }) =>
        Effect.gen(function*() {
          const path = (address: number) => Load.pathOf(address)
          const state = (proxy: Process, address: number) =>
            Effect.map(ask(proxy, path(address), free), ({ body, cache, status }) => {
              expect([status, JSON.parse(body)]).toEqual([
                200,
                expect.objectContaining({ tokenName: path(address) })
              ])
              return cache.includes("; hit") ? "hit" : "miss"
            })
          /** What is written is there a moment after the answer. */
          const hits = (proxy: Process, address: number) =>
            until(`${address} is a hit`, Effect.map(state(proxy, address), (state) => state === "hit"))
          const purge = ({ operations }: Process, query: string) =>
            Effect.promise(() =>
              fetch(`${operations}/purge${query}`, { method: "POST" }).then(({ status }) => status)
            )
          expect(yield* state(one, 1)).toBe("miss")
          yield* hits(other, 1)
          expect(yield* state(other, 2)).toBe("miss")
          yield* hits(one, 2)
          expect(yield* purge(one, `?target=${encodeURIComponent(path(1))}`)).toBe(200)
          expect([yield* state(other, 1), yield* state(one, 2)]).toEqual(["miss", "hit"])
          yield* hits(one, 1)
          expect(yield* purge(other, "")).toBe(200)
          expect([yield* state(one, 1), yield* state(other, 2)]).toEqual(["miss", "miss"])
          yield* Effect.all([hits(other, 1), hits(one, 2)])
          expect(upstream.asked.length).toBeGreaterThanOrEqual(5)
        })),
    120_000
  )

  it.scopedLive(
    "pause together where the service says so",
    () =>
      undisturbed(program(), "1000/s", ({ proxies: [one, other], upstream }) =>
        Effect.gen(function*() {
          const pause = 2
          upstream.answer = () => {
            upstream.answer = null
            return Effect.succeed({ status: 429, headers: { "retry-after": String(pause) }, body: "{}" })
          }
          const refused = yield* Effect.fork(ask(one, Load.pathOf(1), free))
          yield* untilSync(
            "the service has refused",
            () => upstream.answer === null && upstream.asked.length === 1
          )
          const [first] = upstream.asked
          const said = first?.at ?? 0
          yield* until(
            "the answer was understood",
            Effect.map(
              Effect.promise(() => fetch(`${one.operations}/status.json`).then((answer) => answer.text())),
              (text) => text.includes("throttled")
            )
          )
          const answers = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => index),
            (index) => ask(index % 2 === 0 ? one : other, Load.pathOf(2 + index), free),
            { concurrency: "unbounded" }
          )
          expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
          yield* refused.await
          const after = upstream.asked.slice(1).map(({ at }) => at - said)
          expect(after).toHaveLength(21)
          expect(after.filter((millis) => millis < pause * second - 50)).toEqual([])
          yield* Effect.log(`after a 429: ${after.slice(0, 4).map(Math.round).join(", ")} ms …`)
        })),
    120_000
  )
})
