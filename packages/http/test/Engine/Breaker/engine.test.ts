/** The circuit breaker in its place: what opens it, who is refused, and who tries again. */
import * as Override from "@blockquarry/http/Override"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { ask, bad, breaker, open, options } from "../../support/Breaking.ts"
import * as Clients from "../../support/Clients.ts"
import { updateStreamStatus } from "../../support/Examples.ts"
import { failsNow, refusal } from "../../support/Failure.ts"
import { bare, fine, fork, numberOf, price, upTo } from "../../support/Numbered.ts"
import { passing, settled } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

describe("a breaker", () => {
  const failures: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ...[500, 501, 502, 503, 504, 520, 599].map((status) => [`a ${status}`, Scripted.answer(status)] as const),
    ["a connection that breaks", Scripted.Fault({ code: "ECONNRESET" })],
    ["a connection that is refused", Scripted.Fault({ code: "ECONNREFUSED" })],
    ["silence", Scripted.Hang()],
    ["the service's own 408", Scripted.answer(408)],
    ["half a document", Scripted.answer(200, "{\"usdPrice\":")]
  ]

  it.effect.each(failures)("opens by %s", ([, reply]) =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 second", total: "1 minute" } as const
      const scene = yield* Clients.scene(() => reply, { ...options, timeouts })
      for (let time = 0; time < 3; time += 1) yield* passing(Effect.ignore(price(scene, time)), "1 second")
      expect(yield* failsNow(price(scene, 9))).toMatchObject({ _tag: "ServiceFailed", status: null })
      expect(scene.asked).toHaveLength(3)
    }))

  const harmless: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ...[400, 401, 402, 403, 404, 409, 410, 418, 422, 424, 425, 429, 451].map((status) =>
      [`a ${status}`, Scripted.answer(status)] as const
    ),
    ["a document that does not fit", Scripted.json({ usdPrice: "free" })],
    ["a body over the cap", Scripted.answer(200, "7".repeat(2000))],
    ["an answer", fine]
  ]

  it.effect.each(harmless)("is never opened by %s", ([, reply]) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => reply, {
        ...options,
        breaker: { ...breaker, window: "1 day", openFor: "1 day", longest: "1 day" },
        maxBodySize: 1000,
        rateLimit: { ...RateLimit.none, maxWait: "1 day" }
      })
      for (let time = 0; time < 9; time += 1) yield* passing(Effect.ignore(price(scene, time)), "2 minutes")
      expect(scene.asked).toHaveLength(9)
    }))

  it.effect("is not opened by calls that hang up, or that had little time", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 second", total: "1 second" } as const
      const scene = yield* Clients.scene((_, number) => number <= 12 ? Scripted.Hang() : fine, {
        ...options,
        timeouts: { attempt: "10 seconds", total: "45 seconds" }
      })
      for (let time = 0; time < 6; time += 1) {
        yield* passing(Effect.ignore(Override.effect({ timeouts })(price(scene, time))), "1 second")
      }
      for (let time = 0; time < 6; time += 1) {
        yield* Fiber.interrupt(yield* Effect.zipLeft(Effect.fork(price(scene, time)), settled))
      }
      expect(yield* price(scene, 1)).toMatchObject({ usdPrice: 1.5 })
      expect(scene.asked).toHaveLength(13)
    }))

  it.effect("is opened by calls that get no answer in all the time that the layer gives them", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "10 seconds", total: "1 second" } as const
      const scene = yield* Clients.scene(() => Scripted.Hang(), { ...options, timeouts })
      for (let time = 0; time < 3; time += 1) yield* passing(Effect.ignore(price(scene, time)), "1 second")
      expect(yield* failsNow(price(scene, 9))).toMatchObject({ _tag: "ServiceFailed", status: null })
    }))

  it.effect("fails calls at once, and tells for how long", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => bad, options)
      yield* ask(scene, 3)
      expect(yield* failsNow(price(scene, 9))).toMatchObject(open(5000))
      yield* TestClock.adjust(1234)
      expect(yield* failsNow(price(scene, 9))).toMatchObject(open(3766))
      expect(scene.asked).toHaveLength(3)
    }))

  it.effect("ends the retries of a call, which fails with what the service said", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => bad, { ...options, retry: Clients.atOnce(9) })
      expect(yield* failsNow(price(scene, 1))).toMatchObject({ _tag: "ServiceFailed", status: 500 })
      expect(scene.asked).toHaveLength(3)
      expect(yield* failsNow(price(scene, 1))).toMatchObject(open(5000))
    }))

  it.effect("needs the failures within its window", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => bad, {
        ...options,
        breaker: { ...breaker, window: "10 seconds" }
      })
      for (let time = 0; time < 9; time += 1) {
        yield* ask(scene, 1)
        yield* TestClock.adjust("5 seconds")
      }
      expect(scene.asked).toHaveLength(9)
      yield* ask(scene, 2)
      expect(yield* failsNow(price(scene, 9))).toMatchObject(open(5000))
    }))

  it.effect("is each address's own, and one for all keys", () =>
    Effect.gen(function*() {
      const { asked, clients } = yield* Clients.shared(({ url }) => url.host === "here.test" ? bad : fine, {
        here: { ...options, baseUrl: "https://here.test" },
        otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
        there: { ...options, baseUrl: "https://there.test" }
      })
      yield* ask(clients.here, 3)
      expect(yield* failsNow(price(clients.otherKey, 1))).toMatchObject(open(5000))
      expect(yield* price(clients.there, 1)).toMatchObject({ usdPrice: 1.5 })
      expect(asked).toHaveLength(4)
    }))

  it.effect("refuses updates too, which took no effect", () =>
    Effect.gen(function*() {
      const { client } = Scripted.make(() => bad)
      const clients = yield* Clients.over(client, { ...options, baseUrl: "https://here.test" })
      for (let time = 0; time < 3; time += 1) yield* Effect.ignore(updateStreamStatus.ask(clients))
      expect(yield* failsNow(updateStreamStatus.ask(clients))).toMatchObject(open(5000))
    }))

  it.effect("refuses those who wait in line when it opens: nothing of theirs is sent", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 second", cost: 1, burst: 3 })
      const scene = yield* Clients.scene(() => Scripted.late("500 millis", bad), { ...options, rateLimit })
      const fibers = yield* fork(scene, upTo(6))
      yield* TestClock.adjust("3 seconds")
      expect(scene.asked.map(numberOf)).toEqual([0, 1, 2])
      // All of them as soon as the first of them has its turn
      for (const fiber of fibers.slice(3)) expect(yield* refusal(fiber)).toMatchObject(open(4500))
    }))

  it.effect("refuses before the wait for a turn: nobody waits for a closed door", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "4 seconds", cost: 1, burst: 3 })
      const scene = yield* Clients.scene(() => bad, { ...options, rateLimit })
      yield* ask(scene, 3)
      expect(yield* failsNow(price(scene, 9))).toMatchObject(open(5000))
    }))

  it.effect("that is none never opens", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => bad, bare)
      yield* ask(scene, 100)
      expect(scene.asked).toHaveLength(100)
    }))
})
