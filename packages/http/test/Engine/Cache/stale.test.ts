/** Stale answers where the service fails, is not reached or throttles; never where it answers. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Clients from "../../support/Clients.ts"
import { failure } from "../../support/Failure.ts"
import { caching, counted } from "../../support/Keeping.ts"
import { price } from "../../support/Numbered.ts"
import { passing } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

const timeouts = { attempt: "1 second", total: "2 seconds" } as const

/** One price, and then the same reply for ever. */
const then = (reply: Scripted.Reply, options: Clients.SceneOptions = {}) =>
  Effect.tap(
    Clients.scene((asked, number) => number === 1 ? counted(asked, 1) : reply, {
      ...caching,
      timeouts,
      ...options
    }),
    (scene) => price(scene, 1)
  )

describe("a stale answer", () => {
  const passes: ReadonlyArray<readonly [string, string, Scripted.Reply]> = [
    ...[500, 501, 502, 503, 504, 599].map((status) =>
      [`a ${status}`, "ServiceFailed", Scripted.answer(status)] as const
    ),
    ["a 503 for an hour", "ServiceFailed", Scripted.answer(503, "", { "retry-after": "3600" })],
    ["a 429", "RateLimited", Scripted.answer(429, "", { "retry-after": "1" })],
    ["a 408", "TimedOut", Scripted.answer(408)],
    ["silence", "TimedOut", Scripted.Hang()],
    ["a broken connection", "Unreachable", Scripted.Fault({ code: "ECONNRESET" })],
    ["half a document", "ResponseInvalid", Scripted.answer(200, "{\"usdPrice\":")],
    ["no document", "ResponseInvalid", Scripted.answer(204)],
    ["a body over the cap", "ResponseInvalid", Scripted.answer(200, "7".repeat(2000))]
  ]

  it.effect.each(passes)(
    "is given for a minute after %s, and no longer",
    ([, tag, reply]) =>
      Effect.gen(function*() {
        const scene = yield* then(reply, { maxBodySize: 1000 })
        yield* TestClock.adjust(20_000)
        expect(yield* passing(price(scene, 1), "2 seconds")).toMatchObject({ usdPrice: 1 })
        expect(scene.asked).toHaveLength(2)
        yield* TestClock.adjust(42_000)
        // The clock is past the minute once silence was long enough.
        if (tag !== "TimedOut") {
          expect(yield* passing(price(scene, 1), "999 millis")).toMatchObject({ usdPrice: 1 })
        }
        yield* TestClock.adjust("5 seconds")
        expect(yield* passing(failure(price(scene, 1)), "2 seconds")).toMatchObject({ _tag: tag })
      })
  )

  const stays: ReadonlyArray<readonly [string, string, Scripted.Reply]> = [
    ["BadRequest", "a 400", Scripted.answer(400)],
    ["BadRequest", "a 422", Scripted.answer(422)],
    ["KeyRefused", "a 401", Scripted.answer(401)],
    ["KeyRefused", "a 403", Scripted.answer(403)],
    ["PlanExhausted", "a 402", Scripted.answer(402)],
    ["NotFound", "a 404", Scripted.answer(404)],
    ["ServiceFailed", "a 302", Scripted.answer(302)],
    ["ResponseInvalid", "a document that does not fit", Scripted.json({ usdPrice: "free" })]
  ]

  it.effect.each(stays)("is not given for a %s, %s", ([tag, , reply]) =>
    Effect.gen(function*() {
      const scene = yield* then(reply)
      yield* TestClock.adjust(20_000)
      expect(yield* failure(price(scene, 1))).toMatchObject({ _tag: tag })
      expect(scene.asked).toHaveLength(2)
    }))

  it.effect("is given where our own limits refuse", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 hour", cost: 1 })
      const scene = yield* then(Scripted.answer(404), { rateLimit })
      yield* TestClock.adjust(20_000)
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
      expect(yield* failure(price(scene, 2))).toMatchObject({ _tag: "RateLimited", limit: "rate" })
      expect(scene.asked).toHaveLength(1)
    }))

  it.effect("is given where the breaker is open", () =>
    Effect.gen(function*() {
      const breaker = { ...CircuitBreaker.standard, minimum: 2 }
      const scene = yield* then(Scripted.answer(500), { breaker })
      yield* TestClock.adjust(20_000)
      for (let time = 0; time < 5; time += 1) expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
      expect(scene.asked).toHaveLength(2)
    }))

  it.effect("is given after the retries, not instead of them", () =>
    Effect.gen(function*() {
      const scene = yield* then(Scripted.answer(500), { retry: Clients.atOnce(3) })
      yield* TestClock.adjust(20_000)
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
      expect(scene.asked).toHaveLength(4)
    }))

  it.effect("is not lost by helping out: a fresh one takes its place when the service is back", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (asked, number) => number === 2 ? Scripted.answer(500) : counted(asked, number),
        caching
      )
      yield* price(scene, 1)
      yield* TestClock.adjust(20_000)
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1 })
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 3 })
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 3 })
    }))
})
