/** What the stages measure, and what spans say of where an answer came from. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Override from "@blockquarry/http/Override"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { caching, counted } from "../support/Keeping.ts"
import { labelled, rise } from "../support/Metrics.ts"
import { bare, fine, numbered, price } from "../support/Numbered.ts"
import { passing, settled } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"
import * as Witness from "../support/Witness.ts"

const operation = "tokenPrice"

/** How many waits for each reason there are while something runs, and the seconds of all of them. */
const waits = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const all = Effect.forEach(
      ["retry", "rate", "pause", "concurrency"],
      (reason) => Metric.value(labelled(Telemetry.waitSeconds, { reason }))
    )
    const before = yield* all
    yield* call
    const after = yield* all
    return after.map(({ count, sum }, index) => [
      count - (before[index]?.count ?? 0),
      Math.round((sum - (before[index]?.sum ?? 0)) * 1000) / 1000
    ])
  })

describe("retries", () => {
  it.effect("are counted by their cause, and their waits measured", () =>
    Effect.gen(function*() {
      const script = [
        Scripted.answer(500, "", { "retry-after": "2" }),
        Scripted.answer(503, "", { "retry-after": "3" }),
        Scripted.Fault({ code: "ECONNRESET" }),
        fine
      ]
      const retry = Clients.atOnce(9)
      const ask = (cause: string) =>
        Effect.flatMap(
          Clients.scene(script, { ...bare, retry }),
          (scene) => rise(Telemetry.retries, { operation, cause }, passing(price(scene, 1)))
        )
      expect(yield* ask("transient")).toBe(2)
      expect(yield* ask("throttled")).toBe(1)
      const scene = yield* Clients.scene(script, { ...bare, retry })
      expect(yield* waits(passing(price(scene, 1)))).toEqual([[3, 5], [0, 0], [0, 0], [0, 0]])
    }))
})

describe("waiting", () => {
  it.effect("for the budget, for a pause and for a place is measured by its reason, and only where there is any", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "4 seconds", cost: 1, maxWait: "1 day" })
      const limited = yield* Clients.scene(() => fine, { ...bare, rateLimit })
      expect(yield* waits(price(limited, 1))).toEqual([[0, 0], [0, 0], [0, 0], [0, 0]])
      expect(yield* waits(passing(price(limited, 1)))).toEqual([[0, 0], [1, 4], [0, 0], [0, 0]])
      const paused = yield* Clients.scene([Scripted.answer(429, "", { "retry-after": "7" }), fine], bare)
      yield* Effect.ignore(price(paused, 1))
      expect(yield* waits(passing(price(paused, 1)))).toEqual([[0, 0], [0, 0], [1, 7], [0, 0]])
      const crowded = yield* Clients.scene(
        () => Scripted.late("5 seconds", fine),
        { ...bare, concurrency: { limit: 1, maxQueue: 9 } }
      )
      const both = Effect.all([price(crowded, 1), price(crowded, 2)], { concurrency: "unbounded" })
      expect(yield* waits(passing(both))).toEqual([[0, 0], [0, 0], [0, 0], [1, 5]])
    }))
})

describe("the cost", () => {
  it.effect("is counted for each attempt that was let through, and for no other", () =>
    Effect.gen(function*() {
      const cost = (rateLimit: RateLimit.RateLimit) =>
        Effect.flatMap(
          Clients.scene(() => Scripted.answer(500), { ...bare, rateLimit, retry: Clients.atOnce(3) }),
          (scene) => rise(Telemetry.cost, { operation }, Effect.ignore(price(scene, 1)))
        )
      expect(yield* cost(RateLimit.none)).toBe(9)
      expect(yield* cost({ ...RateLimit.none, cost: 7 })).toBe(21)
      expect(yield* cost(RateLimit.make({ limit: 1, window: "1 day", burst: 10, cost: 5 }))).toBe(10)
    }))
})

describe("the cache", () => {
  it.effect("is counted by how a question met it", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) =>
          number === 3 ? Scripted.answer(500) : Scripted.late("1 second", counted(asked, number)),
        caching
      )
      const results = ["hit", "stale", "rescued", "shared", "miss"]
      const counts = Effect.forEach(
        results,
        (result) =>
          Effect.map(Metric.value(labelled(Telemetry.cache, { operation, result })), ({ count }) => count)
      )
      const rises = <A, E>(call: Effect.Effect<A, E>) =>
        Effect.gen(function*() {
          const before = yield* counts
          yield* call
          const after = yield* counts
          return Object.fromEntries(
            results.map((result, index) => [result, (after[index] ?? 0) - (before[index] ?? 0)] as const)
              .filter(([, count]) => count > 0)
          )
        })
      const ask = price(scene, 1)
      const three = Effect.all([ask, ask, ask], { concurrency: "unbounded" })
      expect(yield* rises(passing(three, "1 second"))).toEqual({ miss: 1, shared: 2 })
      expect(yield* rises(ask)).toEqual({ hit: 1 })
      yield* TestClock.adjust("5 seconds")
      expect(yield* rises(passing(ask, "1 second"))).toEqual({ stale: 1 })
      yield* TestClock.adjust("20 seconds")
      expect(yield* rises(ask)).toEqual({ miss: 1, rescued: 1 })
      expect(yield* rises(Override.effect({ cacheMode: "no-store" })(passing(ask, "1 second")))).toEqual({})
    }))
})

describe("the breaker", () => {
  it.effect("tells its state by its address", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (_, number) => number < 5 ? Scripted.answer(500) : Scripted.late("1 second", fine),
        {
          ...bare,
          breaker: { ...CircuitBreaker.standard, minimum: 3 },
          baseUrl: "https://breaker.test:8443/base"
        }
      )
      const state = Effect.map(
        Metric.value(labelled(Telemetry.breakerState, { address: "breaker.test:8443" })),
        ({ value }) => value
      )
      for (let time = 0; time < 3; time += 1) yield* Effect.ignore(price(scene, 1))
      expect(yield* state).toBe(2)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.ignore(price(scene, 1))
      expect(yield* state).toBe(2)
      yield* TestClock.adjust("10 seconds")
      const probe = yield* Effect.fork(price(scene, 1))
      yield* settled
      expect(yield* state).toBe(1)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(probe)
      expect(yield* state).toBe(0)
    }))
})

describe("spans", () => {
  it.effect("of calls say where the answer came from, those of attempts which it was and what came", () =>
    Effect.gen(function*() {
      const witness = Witness.make()
      const scene = yield* Clients.scene(
        (asked, number) => number === 1 ? Scripted.answer(500) : counted(asked, number),
        { ...caching, retry: Clients.atOnce(2) }
      )
      yield* witness.of(price(scene, 1))
      yield* witness.of(price(scene, 1))
      yield* TestClock.adjust("6 seconds")
      yield* witness.of(price(scene, 1))
      yield* settled
      const attributes = (name: string, attribute: string) =>
        witness.spans.filter((span) => span.name === name).map((span) => span.attributes.get(attribute))
      expect(attributes("quarry.tokenPrice", "quarry.source")).toEqual(["service", "cache", "stale"])
      expect(attributes("quarry.attempt", "http.request.resend_count")).toEqual([0, 1, 0])
      expect(attributes("quarry.attempt", "http.response.status_code")).toEqual([500, 200, 200])
    }))

  it.effect("of a call without an answer, or of an attempt without one, say nothing of it", () =>
    Effect.gen(function*() {
      const witness = Witness.make()
      const scene = yield* Clients.scene(() => Scripted.Fault({ code: "ECONNRESET" }), bare)
      yield* witness.of(Effect.ignore(scene.data.tokenPrice({ address: numbered(1) })))
      const [call, attempt] = witness.spans
      expect(call?.attributes.has("quarry.source")).toBe(false)
      expect(attempt?.attributes.has("http.response.status_code")).toBe(false)
      expect(attempt?.attributes.get("http.request.resend_count")).toBe(0)
    }))
})
