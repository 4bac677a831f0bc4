/** Each key has its own rate and its own day: one that would have to be waited for comes after one that is free. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { keysOf, labelOf, secretOf } from "../../support/Engines.ts"
import { failsNow, failure, refusal } from "../../support/Failure.ts"
import { bare, fine, fork, numbered, price, seconds, throttled, upTo } from "../../support/Numbered.ts"
import * as Scripted from "../../support/Scripted.ts"

const limits = (options: Partial<RateLimit.RateLimit>) => ({
  ...RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" }),
  ...options
})

const keyed = (all: Readonly<Record<string, RateLimit.RateLimit | undefined>>) =>
  Object.entries(all).map(([label, rateLimit]) => ({ label, key: Redacted.make(secretOf(label)), rateLimit }))

const tally = (asked: ReadonlyArray<Scripted.Asked>) =>
  Object.fromEntries(
    [...new Set(asked.map(labelOf))].toSorted().map((label) => [
      label,
      asked.filter((one) => labelOf(one) === label).length
    ])
  )

describe("the rate of a key", () => {
  it.effect("is its own, or the client's where it has none, and all of them are used", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, {
        ...bare,
        rateLimit: limits({ burst: 2 }),
        apiKey: keyed({ a: undefined, b: limits({ burst: 5 }) })
      })
      yield* fork(scene, upTo(7))
      expect(tally(scene.asked)).toEqual({ a: 2, b: 5 })
      expect(new Set(seconds(scene.asked))).toEqual(new Set([0]))
    }))

  it.effect("does not make a call wait while another key has room", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, {
        ...bare,
        apiKey: keyed({ slow: limits({}), quick: RateLimit.none })
      })
      yield* fork(scene, upTo(20))
      expect(tally(scene.asked)).toEqual({ quick: 19, slow: 1 })
      expect(new Set(seconds(scene.asked))).toEqual(new Set([0]))
    }))

  it.effect("makes it wait where none has: in the shortest line", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, {
        ...bare,
        apiKey: keyed({ a: limits({}), b: limits({ limit: 3 }) })
      })
      const fibers = yield* fork(scene, upTo(10))
      yield* TestClock.adjust("1 minute")
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(tally(scene.asked)).toEqual({ a: 3, b: 7 })
      expect(seconds(scene.asked).at(-1)).toBeLessThan(20.01)
    }))

  it.effect("refuses a call only where the others would make it wait too long as well", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, {
        ...bare,
        apiKey: keyed({ a: limits({ maxWait: 0 }), b: limits({ limit: 0.5, maxWait: "25 seconds" }) })
      })
      const fibers = yield* fork(scene, upTo(4))
      expect(yield* refusal(fibers[3])).toMatchObject({ _tag: "RateLimited", limit: "rate", status: null })
      yield* TestClock.adjust("1 minute")
      expect(tally(scene.asked)).toEqual({ a: 1, b: 2 })
      expect(seconds(scene.asked)).toEqual([0, 0, 20])
    }))

  it.effect("is paid by each key that an attempt goes by", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked) => labelOf(asked) === "a" ? throttled("1") : fine,
        { ...bare, rateLimit: limits({ burst: 2 }), apiKey: keysOf("a", "b") }
      )
      yield* price(scene, 1)
      yield* price(scene, 2)
      yield* fork(scene, [3])
      expect(tally(scene.asked)).toEqual({ a: 1, b: 2 })
      yield* TestClock.adjust("1 minute")
      // At the key that was paused nobody had to wait for the rate.
      expect(scene.asked.slice(3).map((one) => [labelOf(one), one.at])).toEqual([["b", 10_000]])
    }))
})

describe("the day of a key", () => {
  const day = 24 * 3_600_000
  /** Anything at any time, but so many units in a day. */
  const daily = (perDay: number) => ({ ...RateLimit.none, cost: 1, perDay })
  const over = (millis: number) => ({
    _tag: "RateLimited",
    limit: "day",
    status: null,
    detail: null,
    body: "",
    retryAfter: Duration.millis(millis)
  })

  it.effect("has so many units, and who wants more is refused at once until it ends", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, { ...bare, rateLimit: daily(3) })
      yield* TestClock.setTime(5 * day + 1000)
      for (const number of upTo(3)) yield* price(scene, number)
      const refused = yield* failsNow(price(scene, 3))
      expect(refused).toMatchObject(over(day - 1000))
      expect(refused.message).toContain("no more today")
      yield* TestClock.adjust(day - 1001)
      expect(yield* failsNow(price(scene, 4))).toMatchObject(over(1))
      yield* TestClock.adjust(1)
      yield* price(scene, 5)
      expect(scene.asked).toHaveLength(4)
    }))

  it.effect("is paid in units, by each attempt, and is not what a repetition waits for", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.answer(500), {
        ...bare,
        rateLimit: { ...RateLimit.none, perDay: 10 },
        retry: Clients.atOnce(9)
      })
      // A price costs three.
      expect(yield* failure(price(scene, 1))).toMatchObject({ _tag: "ServiceFailed", status: 500 })
      expect(scene.asked).toHaveLength(3)
      expect(yield* failsNow(scene.data.walletChains({ address: numbered(1) }))).toMatchObject({
        limit: "day"
      })
    }))

  it.effect("is each key's own, and the next key is tried before anybody is refused", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, {
        ...bare,
        apiKey: keyed({ a: daily(2), b: daily(4), c: daily(1) })
      })
      for (const number of upTo(7)) yield* price(scene, number)
      expect(tally(scene.asked)).toEqual({ a: 2, b: 4, c: 1 })
      expect(yield* failsNow(price(scene, 8))).toMatchObject(over(day))
      expect(scene.asked).toHaveLength(7)
    }))

  it.effect("that is over for one key does not keep another from being waited for", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, {
        ...bare,
        apiKey: keyed({ a: daily(1), b: limits({}) })
      })
      yield* fork(scene, upTo(4))
      yield* TestClock.adjust("1 minute")
      expect(scene.asked.map(labelOf)).toEqual(["a", "b", "b", "b"])
      expect(seconds(scene.asked)).toEqual([0, 0, 10, 20])
    }))

  it.effect("leaves the probe after a pause to others", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 3, walletChains: 1 }
      const scene = yield* Clients.scene(
        (_, number) => number === 1 ? throttled("1") : fine,
        { ...bare, rateLimit: { ...RateLimit.none, cost, perDay: 5, maxWait: "1 day" } }
      )
      yield* Effect.ignore(price(scene, 1))
      yield* TestClock.adjust(1000)
      // It would have been the probe, and has nothing to spend.
      expect(yield* failsNow(price(scene, 2))).toMatchObject({ limit: "day" })
      yield* Effect.ignore(scene.data.walletChains({ address: numbered(1) }))
      expect(seconds(scene.asked)).toEqual([0, 1])
    }))
})
