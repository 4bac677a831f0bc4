/** After a pause one request tries whether it is over; whatever becomes of it, one tries. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { bare, fine, fork, numberOf, seconds, throttled, upTo } from "../../support/Numbered.ts"
import * as Scripted from "../../support/Scripted.ts"

/** Nobody is refused for waiting. */
const patient = { ...bare, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

/** Those who wait for a probe look again so often, in seconds. */
const look = 0.05

describe("a probe", () => {
  const lost: ReadonlyArray<readonly [string, Scripted.Reply, number]> = [
    ["that fails to connect", Scripted.Fault({ code: "ECONNREFUSED" }), 0],
    ["that fails", Scripted.answer(500), 0],
    ["that fails after a while", Scripted.late("1 second", Scripted.answer(503)), 1],
    ["that times out", Scripted.Hang(), 10]
  ]

  it.effect.each(lost)(
    "%s leaves the next one to probe, alone",
    ([, reply, lasts]) =>
      Effect.gen(function*() {
        const script = (_: Scripted.Asked, number: number) =>
          number === 1 ? throttled("5") : number === 2 ? reply : Scripted.late("1 second", fine)
        const timeouts = { attempt: "10 seconds", total: "1 hour" } as const
        const scene = yield* Clients.scene(script, { ...patient, timeouts })
        yield* fork(scene, upTo(5))
        yield* TestClock.adjust("1 minute")
        expect(scene.asked.map(numberOf)).toEqual(upTo(5))
        const [first, lost, next = Number.NaN, ...others] = seconds(scene.asked)
        expect([first, lost]).toEqual([0, 5])
        expect(next).toBeGreaterThanOrEqual(5 + lasts)
        expect(next).toBeLessThanOrEqual(5 + lasts + look)
        expect(Math.min(...others)).toBeGreaterThanOrEqual(next + 1)
        expect(Math.max(...others)).toBeLessThanOrEqual(next + 1 + look)
      })
  )

  it.effect("that is interrupted leaves the next one to probe, alone", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number === 1 ? throttled("5") : number === 2 ? Scripted.Hang() : Scripted.late("1 second", fine)
      const scene = yield* Clients.scene(script, patient)
      const [, probe] = yield* fork(scene, upTo(5))
      yield* TestClock.adjust("7 seconds")
      expect(seconds(scene.asked)).toEqual([0, 5])
      if (probe !== undefined) yield* Fiber.interrupt(probe)
      yield* TestClock.adjust(50)
      expect(scene.asked.map(numberOf)).toEqual([0, 1, 2])
      yield* TestClock.adjust(900)
      expect(scene.asked).toHaveLength(3)
      yield* TestClock.adjust("1 minute")
      expect(scene.asked.map(numberOf)).toEqual(upTo(5))
    }))

  it.effect("that is a refusal of the request itself ends the pause: the service listens", () =>
    Effect.gen(function*() {
      const script = (_: Scripted.Asked, number: number) =>
        number === 1 ? throttled("5") : number === 2 ? Scripted.answer(404) : Scripted.late("1 second", fine)
      const scene = yield* Clients.scene(script, patient)
      yield* fork(scene, upTo(5))
      yield* TestClock.adjust(5050)
      expect(scene.asked).toHaveLength(5)
    }))
})
