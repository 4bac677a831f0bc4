/** Who is refused at once: the line is too long, or the wait would be. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Timeouts from "@blockquarry/http/Timeouts"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { failure, refusal } from "../../support/Failure.ts"
import { bare, fine, fork, numbered, numberOf, price, seconds, upTo } from "../../support/Numbered.ts"
import { settled } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

/** One request in ten seconds. */
const slow = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" })

const refused = (limit: "rate" | "pause" | "concurrency", retryAfter: Duration.DurationInput | null) => ({
  _tag: "RateLimited",
  limit,
  status: null,
  detail: null,
  body: "",
  retryAfter: retryAfter === null ? null : Duration.decode(retryAfter)
})

describe("maxQueue", () => {
  it.effect.each([0, 1, 3])(
    "is how many wait: of %d, one more is refused at once",
    (maxQueue) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(() => fine, { ...bare, rateLimit: { ...slow, maxQueue } })
        const fibers = yield* fork(scene, upTo(maxQueue + 2))
        expect(yield* refusal(fibers.at(-1))).toMatchObject(refused("rate", (maxQueue + 1) * 10_000))
        yield* TestClock.adjust("1 hour")
        expect(scene.asked.map(numberOf)).toEqual(upTo(maxQueue + 1))
        expect(seconds(scene.asked)).toEqual(Array.from({ length: maxQueue + 1 }, (_, number) => number * 10))
      })
  )

  it.effect("has room again once somebody went or hung up", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, { ...bare, rateLimit: { ...slow, maxQueue: 2 } })
      const [, first] = yield* fork(scene, [0, 1, 2])
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* fork(scene, [3])
      expect(yield* refusal((yield* fork(scene, [4])).at(0))).toMatchObject({ limit: "rate" })
      yield* TestClock.adjust("10 seconds")
      yield* fork(scene, [5])
      yield* TestClock.adjust("1 hour")
      expect(scene.asked.map(numberOf)).toEqual([0, 2, 3, 5])
      expect(seconds(scene.asked)).toEqual([0, 10, 20, 30])
    }))
})

describe("maxWait", () => {
  it.effect.each([9_999, 10_000, 25_000, 30_000])(
    "of %d ms lets those wait who wait no longer",
    (maxWait) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(() => fine, { ...bare, rateLimit: { ...slow, maxWait } })
        const fibers = yield* fork(scene, [0, 1, 2, 3, 4])
        const waiting = Math.floor(maxWait / 10_000)
        for (const [number, fiber] of fibers.entries()) {
          if (number <= waiting) continue
          expect(yield* refusal(fiber)).toMatchObject(refused("rate", (waiting + 1) * 10_000))
        }
        yield* TestClock.adjust("1 hour")
        expect(scene.asked.map(numberOf)).toEqual([0, 1, 2, 3, 4].slice(0, waiting + 1))
      })
  )

  it.effect("counts what those in front cost, not how many they are", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 1, walletChains: 6 }
      const rateLimit = { ...slow, burst: 6, cost, maxWait: "75 seconds" } as const
      const scene = yield* Clients.scene(() => fine, { ...bare, rateLimit })
      const dear = (number: number) => scene.data.walletChains({ address: numbered(number) })
      yield* Effect.ignore(dear(0))
      yield* Effect.fork(dear(1))
      yield* settled
      const fibers = yield* fork(scene, [2, 3])
      expect(yield* refusal(fibers[1])).toMatchObject(refused("rate", "80 seconds"))
      yield* TestClock.adjust("1 hour")
      expect(scene.asked.map(numberOf)).toEqual([0, 1, 2])
      expect(seconds(scene.asked)).toEqual([0, 60, 70])
    }))
})

describe("the time of a call", () => {
  it.effect("bounds its wait: one that would wait beyond it is refused at once", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "5 seconds", total: "15 seconds" } as const
      const scene = yield* Clients.scene(() => fine, { ...bare, timeouts, rateLimit: slow })
      const [, second, third] = yield* fork(scene, [0, 1, 2])
      expect(yield* refusal(third)).toMatchObject(refused("rate", "20 seconds"))
      yield* TestClock.adjust("10 seconds")
      if (second !== undefined) expect(Exit.isSuccess(yield* Fiber.await(second))).toBe(true)
      expect(seconds(scene.asked)).toEqual([0, 10])
    }))

  it.effect("that is short does not make others wait less or more", () =>
    Effect.gen(function*() {
      const { asked, clients } = yield* Clients.shared(() => fine, {
        long: { ...bare, baseUrl: "https://here.test", rateLimit: slow },
        short: {
          ...bare,
          baseUrl: "https://here.test",
          rateLimit: slow,
          timeouts: { attempt: "5 seconds", total: "15 seconds" }
        }
      })
      yield* fork(clients.long, [0, 1])
      const [refusedOne] = yield* fork(clients.short, [2])
      expect(yield* refusal(refusedOne)).toMatchObject(refused("rate", "20 seconds"))
      yield* fork(clients.long, [3])
      yield* TestClock.adjust("1 hour")
      expect(asked.map(numberOf)).toEqual([0, 1, 3])
      expect(seconds(asked)).toEqual([0, 10, 20])
    }))

  it.effect("is not lengthened by waiting for a turn: the wait counts", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 minute", total: "15 seconds" } as const
      const script = [fine, Scripted.Hang()]
      const scene = yield* Clients.scene(script, { ...bare, timeouts, rateLimit: slow })
      const [, second] = yield* fork(scene, [0, 1])
      yield* TestClock.adjust(14_999)
      if (second === undefined) return
      expect((yield* Fiber.poll(second))._tag).toBe("None")
      yield* TestClock.adjust(1)
      expect(yield* failure(Fiber.join(second))).toMatchObject({ _tag: "TimedOut", limit: "total" })
    }))
})

describe("no limit", () => {
  it.effect("lets everybody go at once", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => fine, { ...bare, timeouts: Timeouts.standard })
      yield* Effect.forEach(Array.from({ length: 200 }), (_, number) => price(scene, number), {
        concurrency: "unbounded"
      })
      expect(new Set(seconds(scene.asked))).toEqual(new Set([0]))
      expect(scene.asked).toHaveLength(200)
    }))
})
