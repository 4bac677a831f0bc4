/** What clients may use, and what becomes of those who want more. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Budgets from "../src/Budgets.ts"
import type { Client } from "../src/Clients.ts"
import { type Config, defaults } from "../src/Config/Config.ts"
import { ask, client as configOf, configured, start } from "./support/proxy.ts"
import { questions } from "./support/questions.ts"

const client = (limits: Partial<Pick<Client, "limit" | "perDay">>): Client => ({
  name: "one",
  scopes: new Set(),
  limit: null,
  perDay: null,
  ...limits
})

const tenASecond = client({ limit: { limit: 10, window: 1000 } })

const make = (config: Partial<Config["budgets"]> = {}) =>
  Effect.map(RateLimitStore.memory, (store) => Budgets.make({ ...defaults.budgets, ...config }, store))

const outcome = (result: Either.Either<Budgets.Charge, { readonly code: string }>) =>
  Either.match(result, { onLeft: ({ code }) => code, onRight: ({ waited }) => waited })

describe("a rate", () => {
  it.effect("lets through what there is, has the next wait, and refuses whom that would take too long", () =>
    Effect.gen(function*() {
      const budgets = yield* make()
      for (const _ of [1, 2]) expect((yield* budgets.take(tenASecond, 5)).waited).toBe(0)
      const waiting = yield* Effect.fork(budgets.take(tenASecond, 5))
      yield* TestClock.adjust("499 millis")
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 millis")
      expect((yield* Fiber.join(waiting)).waited).toBe(500)
      const crowd = yield* Effect.fork(
        Effect.all(Array.from({ length: 6 }, () => Effect.either(budgets.take(tenASecond, 5))), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("1 hour")
      // Two seconds are waited at most, and everybody has a turn in the order of arrival
      expect((yield* Fiber.join(crowd)).map(outcome))
        .toEqual([500, 1000, 1500, 2000, "over-budget", "over-budget"])
    }))

  it.effect("bounds the line, and whoever leaves it makes room", () =>
    Effect.gen(function*() {
      const budgets = yield* make({ maxQueue: 2 })
      yield* budgets.take(tenASecond, 5)
      yield* budgets.take(tenASecond, 5)
      const first = yield* Effect.fork(budgets.take(tenASecond, 5))
      const second = yield* Effect.fork(budgets.take(tenASecond, 5))
      yield* TestClock.adjust(0)
      expect(outcome(yield* Effect.either(budgets.take(tenASecond, 5)))).toBe("over-budget")
      yield* Fiber.interrupt(second)
      const third = yield* Effect.fork(budgets.take(tenASecond, 5))
      yield* TestClock.adjust("1 second")
      expect([(yield* Fiber.join(first)).waited, (yield* Fiber.join(third)).waited]).toEqual([500, 1000])
    }))

  it.effect.prop(
    "never lets more than limit + burst through in any window, whoever waits and gives up",
    [FastCheck.array(
      FastCheck.tuple(FastCheck.integer({ min: 0, max: 400 }), FastCheck.integer({ min: 1, max: 5 })),
      { maxLength: 40 }
    )],
    ([arrivals]) =>
      Effect.gen(function*() {
        const budgets = yield* make()
        const granted: Array<readonly [at: number, units: number]> = []
        const now = TestClock.currentTimeMillis
        const fibers: Array<Fiber.Fiber<unknown>> = []
        for (const [after, units] of arrivals) {
          yield* TestClock.adjust(after)
          fibers.push(
            yield* Effect.fork(Effect.ignore(Effect.flatMap(budgets.take(tenASecond, units), () =>
              Effect.map(now, (at) =>
                granted.push([at, units])))))
          )
        }
        yield* TestClock.adjust("1 hour")
        for (const fiber of fibers) {
          yield* Fiber.join(fiber)
        }
        for (const [from] of granted) {
          const inWindow = granted.filter(([at]) =>
            at >= from && at < from + 1000
          )
          expect(inWindow.reduce((sum, [, units]) => sum + units, 0)).toBeLessThanOrEqual(20)
        }
      }),
    { fastCheck: { numRuns: 50 } }
  )
})

describe("a day", () => {
  const hundredADay = client({ perDay: 100 })

  it.effect("is counted exactly, refuses at once what is more, and begins anew at midnight UTC", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 23, 0, 0))
      const budgets = yield* make()
      for (let taken = 0; taken < 100; taken += 4) yield* budgets.take(hundredADay, 4)
      const refused = yield* Effect.flip(budgets.take(hundredADay, 1))
      expect([refused.code, refused.headers]).toEqual(["over-budget", {
        "retry-after": "3600",
        ratelimit: "\"day\";r=0;t=3600",
        "ratelimit-policy": "\"day\";q=100;w=86400"
      }])
      yield* TestClock.adjust("1 hour")
      expect((yield* budgets.take(hundredADay, 1)).budgets).toEqual([
        { name: "day", limit: 100, window: 86400, left: 99, reset: 86400 }
      ])
    }))
})

describe("a shadow", () => {
  it.effect("counts and says, and refuses nobody", () =>
    Effect.gen(function*() {
      const budgets = yield* make({ mode: "shadow" })
      const both = client({ limit: { limit: 10, window: 1000 }, perDay: 12 })
      const charges = yield* Effect.all(Array.from({ length: 4 }, () => budgets.take(both, 5)))
      expect(charges.map(({ shadowed }) => shadowed)).toEqual([false, false, true, true])
      expect(budgets.seen().get("one")?.map(({ left }) => left)[0]).toBe(0)
    }))
})

describe("at once", () => {
  it.effect("nothing is taken where somebody would have to wait", () =>
    Effect.gen(function*() {
      const budgets = yield* make()
      expect(budgets.tryTake(tenASecond, 10, 0)?.budgets[0]?.left).toBe(0)
      expect(budgets.tryTake(tenASecond, 1, 0)).toBeUndefined()
      expect(budgets.tryTake(client({}), 5, 0)).toEqual({ units: 5, budgets: [], waited: 0, shadowed: false })
    }))
})

describe("as clients meet it", () => {
  it.scopedLive("every answer says what is left; a refusal says when to come back; others are not touched", () =>
    Effect.gen(function*() {
      const limited = { limit: { limit: 6, window: 3_600_000 }, perDay: 1000 }
      const { lines, port, sandbox } = yield* start({
        config: {
          ...configured(),
          cache: defaults.cache,
          clients: [configOf("small", "s", limited), configOf("large", "l")]
        }
      })
      const price = questions["tokenPrice"]?.path ?? ""
      const as = (token: string) => ask(port, price, { headers: { "x-api-key": token } })
      const answers = [yield* as("s"), yield* as("s"), yield* as("s"), yield* as("l")]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200])
      expect(answers.map(({ headers }) => headers["ratelimit"])).toEqual([
        expect.stringMatching(/^"rate";r=3;t=3600, "day";r=997;t=\d+$/),
        expect.stringMatching(/^"rate";r=0;t=3600, "day";r=994;t=\d+$/),
        expect.stringMatching(/^"rate";r=0;t=\d+$/),
        undefined
      ])
      expect(Number(answers[2]?.headers["retry-after"])).toBeGreaterThan(1500)
      // What was kept cost the client, and nobody else
      expect(yield* sandbox.requests).toHaveLength(1)
      expect(
        lines.map((line) => JSON.parse(line)).map(({ charged, client, cost }) => [client, charged, cost])
      )
        .toEqual([["small", 3, 3], ["small", 3, 0], ["small", 0, 0], ["large", 3, 0]])
    }))
})
