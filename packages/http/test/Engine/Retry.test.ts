/** When a read is sent again, and how long is waited before. */
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Random from "effect/Random"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { tokenPrice } from "../support/Examples.ts"
import { failure } from "../support/Failure.ts"
import { passing, waits } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

const fine = Scripted.json(tokenPrice.document)

/** The waits after an endless row of one reply. */
const waitsAfter = (reply: Scripted.Reply, options: Clients.SceneOptions, seed: number) =>
  Effect.gen(function*() {
    const scene = yield* Clients.scene(() => reply, options)
    yield* passing(Effect.ignore(tokenPrice.ask(scene)))
    return waits(scene.asked)
  }).pipe(Effect.withRandom(Random.make(seed)))

const { budget } = RetryPolicy.standard

const calm = { attempt: "1 minute", total: "50 minutes" } as const

describe("the standard policy", () => {
  const passes: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ...[408, 429, 500, 502, 503, 504].map((status) =>
      [`a ${status}`, Scripted.answer(status, "{}")] as const
    ),
    ["a reset", Scripted.Fault({ code: "ECONNRESET" })],
    ["a refused connection", Scripted.Fault({ code: "ECONNREFUSED" })],
    ["an unknown host", Scripted.Fault({ code: "ENOTFOUND" })],
    ["a fault without a name", Scripted.Fault({ code: "" })],
    ["silence", Scripted.Hang()],
    ["half a document", Scripted.answer(200, "{\"usdPrice\":")],
    ["a page of HTML", Scripted.answer(200, "<html></html>")]
  ]

  it.effect.each(passes)(
    "asks again after %s, and gives the answer that comes then",
    ([, reply]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene([reply, reply, reply, fine])
        expect(yield* passing(tokenPrice.ask(scene))).toMatchObject({ usdPrice: 1.5 })
        expect(scene.asked).toHaveLength(4)
        expect(new Set(scene.asked.map(({ url }) => url.href)).size).toBe(1)
      })
  )

  it.effect.each(passes)("asks four times at most after %s", ([, reply]) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => reply)
      yield* passing(failure(tokenPrice.ask(scene)))
      expect(scene.asked).toHaveLength(4)
    }))

  const stays: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ...[201, 301, 302, 304, 307, 400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 425, 451].map((
      status
    ) => [`a ${status}`, Scripted.answer(status, "{}")] as const),
    ...[501, 505, 507, 511, 520, 529, 599].map((status) =>
      [`a ${status}`, Scripted.answer(status, "{}")] as const
    ),
    ["a used up plan", Scripted.json({ message: "Your plan usage has been consumed" }, 401)],
    ["a document that does not fit", Scripted.json({ usdPrice: "free" })],
    ["a body over the cap", Scripted.answer(200, "7".repeat(1000))]
  ]

  it.effect.each(stays)(
    "asks once after %s, whatever its Retry-After",
    ([, reply]) =>
      Effect.gen(function*() {
        const hinted = reply._tag === "Answer"
          ? Scripted.Answer({ ...reply, headers: { ...reply.headers, "retry-after": "1" } })
          : reply
        const scene = yield* Clients.scene([hinted], { maxBodySize: 999 })
        yield* passing(failure(tokenPrice.ask(scene)))
        expect(scene.asked).toHaveLength(1)
      })
  )
})

describe("waits", () => {
  const policies = FastCheck.record({
    attempts: FastCheck.integer({ min: 1, max: 7 }),
    transient: FastCheck.integer({ min: 0, max: 2000 }),
    throttled: FastCheck.integer({ min: 0, max: 5000 }),
    cap: FastCheck.integer({ min: 0, max: 20_000 }),
    status: FastCheck.constantFrom(408, 500, 502, 503, 504),
    seed: FastCheck.integer()
  })

  it.effect.prop(
    "are a part of base times two to the number of waits before, and of the cap",
    { policy: policies },
    ({ policy: { attempts, cap, seed, status, throttled, transient } }) =>
      Effect.gen(function*() {
        const retry = { attempts, base: { transient, throttled }, cap, budget }
        const found = yield* waitsAfter(Scripted.answer(status, "{}"), { retry, timeouts: calm }, seed)
        expect(found).toHaveLength(attempts - 1)
        const base = status === 503 ? throttled : transient
        for (const [index, wait] of found.entries()) {
          expect(wait).toBeGreaterThanOrEqual(0)
          // The clock of the test counts whole milliseconds.
          expect(wait).toBeLessThanOrEqual(Math.ceil(Math.min(base * 2 ** index, cap)))
        }
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect("use the whole of what they may be", () =>
    Effect.gen(function*() {
      const retry = { attempts: 2, base: { transient: 1000, throttled: 0 }, cap: 1000, budget }
      const found = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, seed) => seed),
        (seed) => waitsAfter(Scripted.answer(500, "{}"), { retry }, seed)
      )
      const first = found.map(([wait]) => wait ?? Number.NaN)
      expect(Math.min(...first)).toBeLessThan(150)
      expect(Math.max(...first)).toBeGreaterThan(850)
      expect(new Set(first).size).toBeGreaterThan(20)
    }))

  it.effect.each([429, 500, 503, 200])(
    "are what Retry-After says, to the millisecond, on a %d",
    (status) =>
      Effect.gen(function*() {
        const reply = Scripted.answer(status, "", { "retry-after": "7" })
        expect(yield* waitsAfter(reply, {}, 1)).toEqual([7000, 7000, 7000])
        const date = Scripted.answer(status, "", { "retry-after": "Thu, 01 Jan 1970 00:00:12 GMT" })
        yield* TestClock.setTime(0)
        expect((yield* waitsAfter(date, {}, 1)).slice(0, 1)).toEqual([12_000])
      })
  )

  it.effect.each(["Thu, 01 Jan 1970 00:00:00 GMT", "0", "soon"])(
    "are our own when Retry-After is %s",
    (header) =>
      Effect.gen(function*() {
        const waits = yield* waitsAfter(Scripted.answer(429, "", { "retry-after": header }), {}, 1)
        expect(waits).toHaveLength(3)
        expect(Math.max(...waits)).toBeGreaterThan(0)
        for (const [index, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(1000 * 2 ** index)
      })
  )
})

describe("longestWait", () => {
  it("doubles from the base of its cause up to the cap, without end", () => {
    const of = (cause: RetryPolicy.Cause) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempt) =>
        Duration.toMillis(RetryPolicy.longestWait(RetryPolicy.standard, cause, attempt))
      )
    expect(of("transient")).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000])
    expect(of("throttled")).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000])
  })

  it("is not asked for by a policy of one attempt", () => {
    expect(RetryPolicy.none.attempts).toBe(1)
  })
})
