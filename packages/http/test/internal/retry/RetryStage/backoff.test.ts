/** Tests which responses are retried, and the backoff between attempts. */
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Random from "effect/Random"
import * as TestClock from "effect/TestClock"
import { tokenPrice } from "../../../support/Examples.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { waitsBetween, whileTimePasses } from "../../../support/TestTime.ts"

const fine = ScriptedClient.json(tokenPrice.document)

/** Returns the waits between attempts if every attempt gets the same reply. */
const waitsAfter = (reply: ScriptedClient.ScriptedReply, options: TestClients.HarnessOptions, seed: number) =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(() => reply, options)
    yield* whileTimePasses(Effect.ignore(tokenPrice.call(harness)))
    return waitsBetween(harness.requests)
  }).pipe(Effect.withRandom(Random.make(seed)))

const { budget } = RetryPolicy.standard

const steadyService = { attempt: "1 minute", call: "50 minutes" } as const

describe("the standard policy", () => {
  const retried: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[408, 429, 500, 502, 503, 504].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status, "{}")] as const
    ),
    ["a reset", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["a refused connection", ScriptedClient.Disconnect({ code: "ECONNREFUSED" })],
    ["an unknown host", ScriptedClient.Disconnect({ code: "ENOTFOUND" })],
    ["a fault without a name", ScriptedClient.Disconnect({ code: "" })],
    ["no response", ScriptedClient.Hang()],
    ["half a document", ScriptedClient.respond(200, "{\"usdPrice\":")],
    ["a page of HTML", ScriptedClient.respond(200, "<html></html>")]
  ]

  it.effect.each(retried)(
    "retries after %s, and returns the next response",
    ([, reply]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([reply, reply, reply, fine])
        expect(yield* whileTimePasses(tokenPrice.call(harness))).toMatchObject({ usdPrice: 1.5 })
        expect(harness.requests).toHaveLength(4)
        expect(new Set(harness.requests.map(({ url }) => url.href)).size).toBe(1)
      })
  )
})

describe("backoff", () => {
  const policies = FastCheck.record({
    attempts: FastCheck.integer({ min: 1, max: 7 }),
    transient: FastCheck.integer({ min: 0, max: 2000 }),
    throttled: FastCheck.integer({ min: 0, max: 5000 }),
    maxDelay: FastCheck.integer({ min: 0, max: 20_000 }),
    status: FastCheck.constantFrom(408, 500, 502, 503, 504),
    seed: FastCheck.integer()
  })

  it.effect.prop(
    "is a random part of baseDelay, doubled by each retry, up to maxDelay",
    { policy: policies },
    ({ policy: { attempts, maxDelay, seed, status, throttled, transient } }) =>
      Effect.gen(function*() {
        const retry = { attempts, baseDelay: { transient, throttled }, maxDelay, budget }
        const waits = yield* waitsAfter(ScriptedClient.respond(status, "{}"), {
          retry,
          timeouts: steadyService
        }, seed)
        expect(waits).toHaveLength(attempts - 1)
        const base = status === 503 ? throttled : transient
        for (const [index, wait] of waits.entries()) {
          expect(wait).toBeGreaterThanOrEqual(0)
          // The test clock has a resolution of milliseconds.
          expect(wait).toBeLessThanOrEqual(Math.ceil(Math.min(base * 2 ** index, maxDelay)))
        }
      })
  )

  it.effect("covers the whole range", () =>
    Effect.gen(function*() {
      const retry = { attempts: 2, baseDelay: { transient: 1000, throttled: 0 }, maxDelay: 1000, budget }
      const waits = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, seed) => seed),
        (seed) => waitsAfter(ScriptedClient.respond(500, "{}"), { retry }, seed)
      )
      const first = waits.map(([wait]) => wait ?? Number.NaN)
      expect(Math.min(...first)).toBeLessThan(150)
      expect(Math.max(...first)).toBeGreaterThan(850)
      expect(new Set(first).size).toBeGreaterThan(20)
    }))

  it.effect.each([429, 500, 503, 200])(
    "equals Retry-After exactly after a %d",
    (status) =>
      Effect.gen(function*() {
        const reply = ScriptedClient.respond(status, "", { "retry-after": "7" })
        expect(yield* waitsAfter(reply, {}, 1)).toEqual([7000, 7000, 7000])
        const date = ScriptedClient.respond(status, "", { "retry-after": "Thu, 01 Jan 1970 00:00:12 GMT" })
        yield* TestClock.setTime(0)
        expect((yield* waitsAfter(date, {}, 1)).slice(0, 1)).toEqual([12_000])
      })
  )

  it.effect.each(["Thu, 01 Jan 1970 00:00:00 GMT", "0", "soon"])(
    "is random if Retry-After is %s",
    (header) =>
      Effect.gen(function*() {
        const waits = yield* waitsAfter(ScriptedClient.respond(429, "", { "retry-after": header }), {}, 1)
        expect(waits).toHaveLength(3)
        expect(Math.max(...waits)).toBeGreaterThan(0)
        for (const [index, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(1000 * 2 ** index)
      })
  )
})

describe("maxBackoff", () => {
  it("doubles from the base delay of the cause up to maxDelay", () => {
    const of = (cause: RetryPolicy.RetryCause) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempt) =>
        Duration.toMillis(RetryPolicy.maxBackoff(RetryPolicy.standard, cause, attempt))
      )
    expect(of("transient")).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000])
    expect(of("throttled")).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000])
  })

  it("is never applied by a policy with one attempt", () => {
    expect(RetryPolicy.none.attempts).toBe(1)
  })
})
