/** Tests that stale responses are served if the upstream fails, is unreachable or throttles, and not otherwise. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../../../support/CacheFixtures.ts"
import { failureOf } from "../../../support/Failures.ts"
import { fetchPrice } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { whileTimePasses } from "../../../support/TestTime.ts"

const timeouts = { attempt: "1 second", call: "2 seconds" } as const

/** Replies with one price, and then with the same reply. */
const then = (reply: ScriptedClient.ScriptedReply, options: TestClients.HarnessOptions = {}) =>
  Effect.tap(
    TestClients.harness((requests, number) => number === 1 ? numberedPrice(requests, 1) : reply, {
      ...cachingOptions,
      timeouts,
      ...options
    }),
    (harness) => fetchPrice(harness, 1)
  )

describe("a stale response", () => {
  const passes: ReadonlyArray<readonly [string, string, ScriptedClient.ScriptedReply]> = [
    ...[500, 501, 502, 503, 504, 599].map((status) =>
      [`a ${status}`, "ServerError", ScriptedClient.respond(status)] as const
    ),
    ["a 503 for an hour", "ServerError", ScriptedClient.respond(503, "", { "retry-after": "3600" })],
    ["a 429", "RateLimitError", ScriptedClient.respond(429, "", { "retry-after": "1" })],
    ["a 408", "TimeoutError", ScriptedClient.respond(408)],
    ["no response", "TimeoutError", ScriptedClient.Hang()],
    ["a broken connection", "NetworkError", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["half a document", "InvalidResponseError", ScriptedClient.respond(200, "{\"usdPrice\":")],
    ["no document", "InvalidResponseError", ScriptedClient.respond(204)],
    ["a body over the size limit", "InvalidResponseError", ScriptedClient.respond(200, "7".repeat(2000))]
  ]

  it.effect.each(passes)(
    "is served for a minute after %s, and no longer",
    ([, tag, reply]) =>
      Effect.gen(function*() {
        const harness = yield* then(reply, { maxBodySize: 1000 })
        yield* TestClock.adjust(20_000)
        expect(yield* whileTimePasses(fetchPrice(harness, 1), "2 seconds")).toMatchObject({ usdPrice: 1 })
        expect(harness.requests).toHaveLength(2)
        yield* TestClock.adjust(42_000)
        // After the timeout the stale entry is too old.
        if (tag !== "TimeoutError") {
          expect(yield* whileTimePasses(fetchPrice(harness, 1), "999 millis")).toMatchObject({ usdPrice: 1 })
        }
        yield* TestClock.adjust("5 seconds")
        expect(yield* whileTimePasses(failureOf(fetchPrice(harness, 1)), "2 seconds")).toMatchObject({
          _tag: tag
        })
      })
  )

  const stays: ReadonlyArray<readonly [string, string, ScriptedClient.ScriptedReply]> = [
    ["RequestRejectedError", "a 400", ScriptedClient.respond(400)],
    ["RequestRejectedError", "a 422", ScriptedClient.respond(422)],
    ["AuthenticationError", "a 401", ScriptedClient.respond(401)],
    ["PermissionDeniedError", "a 403", ScriptedClient.respond(403)],
    ["PlanQuotaExceededError", "a 402", ScriptedClient.respond(402)],
    ["NotFoundError", "a 404", ScriptedClient.respond(404)],
    ["InvalidResponseError", "a 302", ScriptedClient.respond(302)],
    ["InvalidResponseError", "an unexpected shape", ScriptedClient.json({ usdPrice: "free" })]
  ]

  it.effect.each(stays)("is not served after a %s, %s", ([tag, , reply]) =>
    Effect.gen(function*() {
      const harness = yield* then(reply)
      yield* TestClock.adjust(20_000)
      expect(yield* failureOf(fetchPrice(harness, 1))).toMatchObject({ _tag: tag })
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is served if a local limit rejects the call", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 hour", cost: 1 })
      const harness = yield* then(ScriptedClient.respond(404), { rateLimit })
      yield* TestClock.adjust(20_000)
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      expect(yield* failureOf(fetchPrice(harness, 2))).toMatchObject({
        _tag: "LocalLimitError",
        limit: "rate"
      })
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("is served while the circuit breaker is open", () =>
    Effect.gen(function*() {
      const breaker = { ...CircuitBreaker.standard, minimum: 2 }
      const harness = yield* then(ScriptedClient.respond(500), { breaker })
      yield* TestClock.adjust(20_000)
      for (let time = 0; time < 5; time += 1) {
        expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      }
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is served after the retries, not instead of them", () =>
    Effect.gen(function*() {
      const harness = yield* then(ScriptedClient.respond(500), { retry: TestClients.immediateRetries(3) })
      yield* TestClock.adjust(20_000)
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      expect(harness.requests).toHaveLength(4)
    }))
})
