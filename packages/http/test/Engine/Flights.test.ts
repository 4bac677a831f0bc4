/** Single flight: equal questions at the same time are one request, whoever hangs up. */
import * as Override from "@blockquarry/http/Override"
import { describe, expect, it } from "@effect/vitest"
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { address } from "../support/Examples.ts"
import { failure } from "../support/Failure.ts"
import { caching, counted } from "../support/Keeping.ts"
import { price } from "../support/Numbered.ts"
import { settled } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

/** Each answer takes a second. */
const slowly: Scripted.Script = (asked, number) => Scripted.late("1 second", counted(asked, number))

/** A flight that has an end goes on though nobody waits. */
const ending = { ...caching, timeouts: { attempt: "10 seconds", total: "1 minute" } } as const

const fork = (clients: Clients.Clients, times: number) =>
  Effect.zipLeft(
    Effect.forEach(Array.range(1, times), () => Effect.fork(Effect.exit(price(clients, 1)))),
    settled
  )

const priceOf = Exit.match({
  onFailure: () => null,
  onSuccess: ({ usdPrice }: { usdPrice: unknown }) => usdPrice
})

describe("a flight", () => {
  it.effect("is one request for a thousand who ask", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(slowly, caching)
      const fibers = yield* fork(scene, 1000)
      yield* TestClock.adjust("1 second")
      const prices = yield* Effect.forEach(fibers, (fiber) => Effect.map(Fiber.join(fiber), priceOf))
      expect(new Set(prices)).toEqual(new Set([1]))
      expect(scene.asked).toHaveLength(1)
    }))

  it.effect.each(
    [
      ["every other one", (index: number) => index % 2 === 0],
      ["everybody", () => true]
    ] as const
  )(
    "of a thousand goes on though %s hangs up, the first one too, and is kept",
    ([, leaves]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(slowly, ending)
        const fibers = yield* fork(scene, 1000)
        const [gone, left] = Array.partition(fibers, (_, index) => !leaves(index))
        yield* Fiber.interruptAll(gone)
        yield* TestClock.adjust("1 second")
        const prices = yield* Effect.forEach(left, (fiber) => Effect.map(Fiber.join(fiber), priceOf))
        expect(prices).toEqual(prices.map(() => 1))
        expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
        expect(scene.asked).toHaveLength(1)
      })
  )

  it.effect.prop(
    "goes on for those who stay, whoever hangs up, the first one too, and its answer is kept",
    {
      stay: FastCheck.array(FastCheck.boolean(), { minLength: 1, maxLength: 30 }),
      after: FastCheck.constantFrom(0, 500, 999)
    },
    ({ after, stay }) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(slowly, ending)
        const fibers = yield* Effect.forEach([false, ...stay], () => Effect.fork(price(scene, 1)))
        yield* settled
        yield* TestClock.adjust(after)
        const stays = [false, ...stay]
        yield* Effect.forEach(fibers, (fiber, index) =>
          stays[index] === true ? Effect.void : Fiber.interrupt(fiber))
        yield* TestClock.adjust(1000)
        for (const [index, fiber] of fibers.entries()) {
          const exit = yield* Fiber.await(fiber)
          if (stays[index] === true) {
            expect(priceOf(exit)).toBe(1)
          } else expect(Exit.isInterrupted(exit)).toBe(true)
        }
        expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
        expect(scene.asked).toHaveLength(1)
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect("is waited for by each for as long as their own call has time", () =>
    Effect.gen(function*() {
      const baseUrl = "https://here.test"
      const { asked, clients } = yield* Clients.shared(slowly, {
        patient: { ...caching, baseUrl },
        hasty: { ...caching, baseUrl, timeouts: { attempt: "1 minute", total: "400 millis" } }
      })
      const patient = yield* Effect.fork(price(clients.patient, 1))
      yield* settled
      const hasty = yield* Effect.fork(price(clients.hasty, 1))
      yield* TestClock.adjust(400)
      expect(yield* failure(Fiber.join(hasty))).toMatchObject({
        _tag: "TimedOut",
        limit: "total",
        mayHaveTakenEffect: false
      })
      yield* TestClock.adjust(600)
      expect(yield* Fiber.join(patient)).toMatchObject({ usdPrice: 1 })
      expect(asked).toHaveLength(1)
    }))

  it.effect("of someone with less time ends before its question is answered: who has more asks anew", () =>
    Effect.gen(function*() {
      const baseUrl = "https://here.test"
      const { asked, clients } = yield* Clients.shared(slowly, {
        patient: { ...ending, baseUrl },
        hasty: { ...ending, baseUrl, timeouts: { attempt: "1 minute", total: "400 millis" } }
      })
      const hasty = yield* Effect.fork(price(clients.hasty, 1))
      yield* settled
      const patient = yield* Effect.fork(price(clients.patient, 1))
      yield* TestClock.adjust(400)
      expect(yield* failure(Fiber.join(hasty))).toMatchObject({ _tag: "TimedOut", limit: "total" })
      yield* TestClock.adjust(1000)
      expect(yield* Fiber.join(patient)).toMatchObject({ usdPrice: 2 })
      expect(asked).toHaveLength(2)
    }))

  it.effect("without an end ends with the last who waits for it", () =>
    Effect.gen(function*() {
      const script: Scripted.Script = (asked, number) =>
        number === 1 ? Scripted.Hang() : counted(asked, number)
      const scene = yield* Clients.scene(script, caching)
      yield* Fiber.interruptAll(yield* fork(scene, 3))
      yield* settled
      expect(scene.asked[0]?.signal.aborted).toBe(true)
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 2 })
    }))

  it.effect("is not joined by who wants the answer of now", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(slowly, ending)
      const before = yield* Effect.fork(price(scene, 1))
      yield* settled
      const now = yield* Effect.fork(Override.effect({ cacheMode: "reload" })(price(scene, 1)))
      yield* settled
      const after = yield* Effect.fork(price(scene, 1))
      yield* TestClock.adjust(1000)
      expect(yield* Fiber.join(before)).toMatchObject({ usdPrice: 1 })
      expect(yield* Fiber.join(now)).toMatchObject({ usdPrice: 2 })
      expect(yield* Fiber.join(after)).toMatchObject({ usdPrice: 2 })
      expect(scene.asked).toHaveLength(2)
    }))

  const failures: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ["ServiceFailed", Scripted.answer(500)],
    ["Unreachable", Scripted.Fault({ code: "ECONNRESET" })],
    ["KeyRefused", Scripted.answer(401)],
    ["ResponseInvalid", Scripted.json({ usdPrice: "free" })]
  ]

  it.effect.each(failures)(
    "that fails fails for all of them, and the next call asks again: %s",
    ([tag, reply]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(
          (asked, number) => number === 1 ? Scripted.late("1 second", reply) : counted(asked, number),
          caching
        )
        const fibers = yield* fork(scene, 20)
        yield* TestClock.adjust("1 second")
        for (const fiber of fibers) {
          expect(yield* Effect.flip(Effect.flatten(Fiber.join(fiber)))).toMatchObject({ _tag: tag })
        }
        expect(scene.asked).toHaveLength(1)
        expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 2 })
      })
  )

  it.effect("that ends in a bug leaves nobody waiting, and the next call asks again", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene((asked, number) => {
        if (number === 1) throw new Error("a bug")
        return counted(asked, number)
      }, caching)
      const fibers = yield* Effect.forEach(
        Array.range(1, 20),
        () => Effect.fork(Effect.exit(price(scene, 1)))
      )
      yield* settled
      for (const fiber of fibers) {
        const exit = yield* Fiber.join(fiber)
        expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      }
      expect(scene.asked).toHaveLength(1)
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 2 })
    }))

  it.effect("carries one question only", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(slowly, caching)
      const fibers = yield* Effect.forEach([
        price(scene, 1),
        price(scene, 2),
        scene.data.tokenPrice({ address, to_block: 7 }),
        scene.data.tokenPrice({ address, to_block: 8 })
      ], (call) => Effect.zipLeft(Effect.fork(call), settled))
      yield* TestClock.adjust("1 second")
      const prices = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(prices.map(({ usdPrice }) => usdPrice)).toEqual([1, 2, 3, 4])
    }))

  it.effect("keeps its answer from the moment on in which it is given", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(slowly, caching)
      yield* fork(scene, 2)
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust(4999)
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
      expect(scene.asked).toHaveLength(1)
    }))
})
