/** A pause that outlasts a call ends it at once. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { failsNow, refusal } from "../../support/Failure.ts"
import { bare, fine, fork, numberOf, price, seconds, throttled } from "../../support/Numbered.ts"
import * as Scripted from "../../support/Scripted.ts"

/** Nobody is refused for waiting. */
const patient = { ...bare, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

describe("a pause beyond the time of a call", () => {
  const refused = (millis: number) => ({
    _tag: "RateLimited",
    limit: "pause",
    status: null,
    retryAfter: Duration.millis(millis)
  })

  it.effect("fails it at once, and says how long the pause lasts still", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "10 seconds", total: "20 seconds" } as const
      const scene = yield* Clients.scene((_, number) => number === 1 ? throttled("50") : fine, {
        ...patient,
        timeouts
      })
      yield* fork(scene, [0])
      expect(yield* failsNow(price(scene, 1))).toMatchObject(refused(50_000))
      yield* TestClock.adjust("29999 millis")
      expect(yield* failsNow(price(scene, 1))).toMatchObject(refused(20_001))
      yield* TestClock.adjust(2)
      yield* fork(scene, [2])
      yield* TestClock.adjust("1 minute")
      expect(scene.asked.map(numberOf)).toEqual([0, 2])
    }))

  it.effect("fails those who come while others wait, for the budget or for the pause", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number === 1 ? Scripted.late("5 seconds", throttled("50")) : fine
      const rateLimit = {
        limit: 1,
        window: "10 seconds",
        burst: 1,
        cost: 1,
        maxWait: "1 day",
        maxQueue: 9,
        perDay: null
      } as const
      const baseUrl = "https://here.test"
      const { asked, clients } = yield* Clients.shared(script, {
        long: { ...bare, baseUrl, rateLimit },
        short: { ...bare, baseUrl, rateLimit, timeouts: { attempt: "10 seconds", total: "30 seconds" } }
      })
      yield* fork(clients.long, [0, 1])
      yield* TestClock.adjust("6 seconds")
      expect(yield* failsNow(price(clients.short, 2))).toMatchObject(refused(49_000))
      yield* TestClock.adjust("10 seconds")
      expect(yield* failsNow(price(clients.short, 3))).toMatchObject(refused(39_000))
      yield* TestClock.adjust("1 hour")
      expect(asked.map(numberOf)).toEqual([0, 1])
      expect(seconds(asked)).toEqual([0, 55])
    }))

  it.effect("fails those who waited for their turn when it began: the first once it learns of it, others in the end", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number === 1 ? Scripted.late("5 seconds", throttled("50")) : fine
      const rateLimit = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1 })
      const timeouts = { attempt: "10 seconds", total: "30 seconds" } as const
      const scene = yield* Clients.scene(script, { ...bare, rateLimit, timeouts })
      const [, first, second] = yield* fork(scene, [0, 1, 2])
      yield* TestClock.adjust("10 seconds")
      expect(yield* refusal(first)).toMatchObject(refused(45_000))
      expect(yield* refusal(second)).toMatchObject(refused(45_000))
      expect(scene.asked).toHaveLength(1)
    }))

  it.effect("keeps nobody longer than their call behind one that is more patient", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number === 1 ? Scripted.late("5 seconds", throttled("50")) : fine
      const rateLimit = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" })
      const baseUrl = "https://here.test"
      const { asked, clients } = yield* Clients.shared(script, {
        long: { ...bare, baseUrl, rateLimit },
        short: { ...bare, baseUrl, rateLimit, timeouts: { attempt: "10 seconds", total: "30 seconds" } }
      })
      yield* fork(clients.long, [0, 1])
      const [short] = yield* fork(clients.short, [2])
      yield* TestClock.adjust("30 seconds")
      expect(yield* refusal(short)).toMatchObject({ _tag: "RateLimited", limit: "pause", retryAfter: null })
      yield* TestClock.adjust("1 hour")
      expect(seconds(asked)).toEqual([0, 55])
    }))

  it.effect("fails it by maxWait as well", () =>
    Effect.gen(function*() {
      const rateLimit = { ...RateLimit.none, maxWait: "30 seconds" } as const
      const scene = yield* Clients.scene([throttled("50")], { ...bare, rateLimit })
      yield* fork(scene, [0])
      expect(yield* failsNow(price(scene, 1))).toMatchObject(refused(50_000))
      expect(scene.asked).toHaveLength(1)
    }))
})
