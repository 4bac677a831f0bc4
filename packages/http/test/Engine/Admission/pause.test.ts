/** A 429 to one is a pause for all that share its key and address; then one request tries whether it is over. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { bare, fine, fork, numberOf, seconds, throttled, upTo } from "../../support/Numbered.ts"
import * as Scripted from "../../support/Scripted.ts"

/** Nobody is refused for waiting. */
const patient = { ...bare, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

/** Those who wait for a probe look again so often, in seconds. */
const look = 0.05

describe("a pause", () => {
  it.effect("is for every call with the key at the address, and for no other", () =>
    Effect.gen(function*() {
      const here = { ...patient, baseUrl: "https://here.test" }
      const { asked, clients } = yield* Clients.shared((_, number) => number === 1 ? throttled("5") : fine, {
        here,
        same: here,
        otherKey: { ...here, apiKey: Redacted.make("other") },
        there: { ...patient, baseUrl: "https://there.test" }
      })
      yield* fork(clients.here, [0])
      yield* fork(clients.here, [1])
      yield* fork(clients.same, [2])
      yield* fork(clients.otherKey, [3])
      yield* fork(clients.there, [4])
      expect(asked.map(numberOf)).toEqual([0, 3, 4])
      yield* TestClock.adjust(4999)
      expect(asked).toHaveLength(3)
      yield* TestClock.adjust(1)
      expect(asked.map(numberOf)).toEqual([0, 3, 4, 1])
      yield* TestClock.adjust(50)
      expect(asked.map(numberOf)).toEqual([0, 3, 4, 1, 2])
    }))

  it.effect("ends with one probe while all others wait, and then lets all go", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number === 1 ? throttled("5") : Scripted.late("1 second", fine)
      const scene = yield* Clients.scene(script, patient)
      yield* fork(scene, upTo(50))
      yield* TestClock.adjust(5999)
      expect(scene.asked.map(numberOf)).toEqual([0, 1])
      yield* TestClock.adjust(51)
      expect(scene.asked.map(numberOf)).toEqual(upTo(50))
      expect(seconds(scene.asked).slice(0, 2)).toEqual([0, 5])
    }))

  it.effect("goes on where the probe is told so as well", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) => number < 4 ? throttled(`${number * 5}`) : fine
      const scene = yield* Clients.scene(script, patient)
      yield* fork(scene, upTo(10))
      yield* TestClock.adjust("1 minute")
      expect(seconds(scene.asked)).toEqual([0, 5, 15, 30, ...Array.from({ length: 6 }, () => 30 + look)])
    }))

  it.effect.each(["61", "3600", "99999999999"])(
    "is a minute at most, whatever is asked for: %s",
    (header) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene((_, number) => number === 1 ? throttled(header) : fine, patient)
        yield* fork(scene, [0, 1, 2])
        yield* TestClock.adjust("2 minutes")
        expect(seconds(scene.asked)).toEqual([0, 60, 60 + look])
      })
  )

  it.effect("is a second where nobody says how long, twice as long after each refused probe, up to a minute", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene((_, number) => number < 10 ? throttled() : fine, patient)
      yield* fork(scene, upTo(12))
      yield* TestClock.adjust("10 minutes")
      expect(seconds(scene.asked)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 243 + look, 243 + look])
    }))

  it.effect("begins anew with a second after one that has passed", () =>
    Effect.gen(function*() {
      const script = [throttled(), throttled(), fine, throttled(), fine]
      const scene = yield* Clients.scene(script, patient)
      yield* fork(scene, upTo(3))
      yield* TestClock.adjust("10 seconds")
      yield* fork(scene, upTo(2))
      yield* TestClock.adjust("10 seconds")
      expect(seconds(scene.asked)).toEqual([0, 1, 3, 10, 11])
    }))

  it.effect("is one however many requests are told so at once", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number <= 20 ? Scripted.late("100 millis", throttled()) : fine
      const scene = yield* Clients.scene(script, patient)
      yield* fork(scene, upTo(20))
      yield* TestClock.adjust(100)
      yield* fork(scene, [20, 21])
      yield* TestClock.adjust("1 minute")
      expect(seconds(scene.asked).slice(20)).toEqual([1.1, 1.15])
    }))

  it.effect("holds for the retries of those who were told so: they wait, and one of them probes", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number <= 5 ? Scripted.late("100 millis", throttled()) : Scripted.late("1 second", fine)
      const scene = yield* Clients.scene(script, { ...patient, retry: RetryPolicy.standard })
      const fibers = yield* fork(scene, upTo(5))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(Fiber.all(fibers))
      const [probe = Number.NaN, ...others] = seconds(scene.asked).slice(5)
      expect(probe).toBe(1.1)
      expect(others).toHaveLength(4)
      expect(Math.min(...others)).toBeGreaterThanOrEqual(2.1)
    }))

  it.effect("does not give a budget back: what was paid before it counts after it", () =>
    Effect.gen(function*() {
      const rateLimit = {
        limit: 1,
        window: "10 seconds",
        burst: 1,
        cost: 1,
        maxWait: "1 day",
        maxQueue: 9,
        perDay: null
      } as const
      const scene = yield* Clients.scene(
        (_, number) => number === 1 ? throttled("2") : fine,
        { ...bare, rateLimit }
      )
      yield* fork(scene, [0, 1, 2])
      yield* TestClock.adjust("1 minute")
      expect(seconds(scene.asked)).toEqual([0, 10, 20])
    }))
})
