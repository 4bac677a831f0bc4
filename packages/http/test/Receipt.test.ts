/** Receipts: what a call spent is charged to whoever began to ask, once. */
import * as Override from "@blockquarry/http/Override"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Receipt from "@blockquarry/http/Receipt"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Clients from "./support/Clients.ts"
import { caching, counted } from "./support/Keeping.ts"
import { bare, fine, price, throttled } from "./support/Numbered.ts"
import { passing, settled } from "./support/Passing.ts"
import * as Scripted from "./support/Scripted.ts"

const nothing = { attempts: 0, units: 0, waited: 0 }

/** The units of a price. */
const units = 3

describe("a receipt", () => {
  it.effect("holds each attempt, its units, and the waits between them", () =>
    Effect.gen(function*() {
      const script = [
        Scripted.answer(500, "", { "retry-after": "2" }),
        Scripted.Fault({ code: "ECONNRESET" }),
        fine
      ]
      const scene = yield* Clients.scene(script, { ...bare, retry: Clients.atOnce(9) })
      const receipt = Receipt.make()
      expect(receipt).toEqual(nothing)
      yield* passing(Receipt.effect(receipt)(price(scene, 1)))
      expect(receipt).toEqual({ attempts: 3, units: 3 * units, waited: 2000 })
    }))

  it.effect("holds the waits for budgets, pauses and places", () =>
    Effect.gen(function*() {
      const patient = { ...bare, rateLimit: { ...RateLimit.none, maxWait: "1 day" } } as const
      const limited = RateLimit.make({ limit: 1, window: "1 second", cost: 1 })
      const cases: ReadonlyArray<readonly [Scripted.Script, Clients.SceneOptions, number]> = [
        [() => fine, { ...bare, rateLimit: limited }, 1000],
        [(_, number) => number === 1 ? throttled("5") : fine, patient, 5000],
        [
          (_, number) => number === 1 ? Scripted.late("7 seconds", fine) : fine,
          { ...bare, concurrency: { limit: 1, maxQueue: 9 } },
          7000
        ]
      ]
      for (const [script, options, waited] of cases) {
        const scene = yield* Clients.scene(script, options)
        const [first, second] = [Receipt.make(), Receipt.make()]
        const fibers = yield* Effect.forEach([first, second], (receipt) =>
          Effect.zipLeft(Effect.fork(Receipt.effect(receipt)(Effect.exit(price(scene, 1)))), settled))
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach(fibers, (fiber) =>
          Fiber.join(fiber))
        expect(first.waited).toBe(0)
        expect(second).toMatchObject({ attempts: 1, waited })
      }
    }))

  it.effect("is that of the caller who began a flight, and those who join it are charged nothing", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => Scripted.late("1 second", number === 1 ? Scripted.answer(500) : counted(asked, 1)),
        { ...caching, retry: Clients.atOnce(2), timeouts: { attempt: "10 seconds", total: "1 minute" } }
      )
      const receipts = [Receipt.make(), Receipt.make(), Receipt.make()]
      const fibers = yield* Effect.forEach(
        receipts,
        (receipt) => Effect.zipLeft(Effect.fork(Receipt.effect(receipt)(price(scene, 1))), settled)
      )
      const [first] = fibers
      // Whoever began it pays for all of it, though they hung up.
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 minute")
      expect(receipts).toEqual([{ attempts: 2, units: 2 * units, waited: 0 }, nothing, nothing])
    }))

  it.effect("is charged nothing for an answer that was kept, nor by the calls beside it", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, caching)
      const receipt = Receipt.make()
      yield* price(scene, 1)
      yield* Receipt.effect(receipt)(price(scene, 1))
      expect(receipt).toEqual(nothing)
      yield* Receipt.effect(receipt)(Override.effect({ cacheMode: "reload" })(price(scene, 1)))
      yield* price(scene, 2)
      expect(receipt).toEqual({ attempts: 1, units, waited: 0 })
    }))

  it.effect("is charged alone within another one's region, and holds all calls of its own", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(counted, bare)
      const [outer, inner] = [Receipt.make(), Receipt.make()]
      const both = Effect.all([price(scene, 1), price(scene, 2)], { concurrency: "unbounded" })
      yield* Receipt.effect(outer)(Effect.zipRight(price(scene, 3), Receipt.effect(inner)(both)))
      expect(outer).toEqual({ attempts: 1, units, waited: 0 })
      expect(inner).toEqual({ attempts: 2, units: 2 * units, waited: 0 })
    }))
})
