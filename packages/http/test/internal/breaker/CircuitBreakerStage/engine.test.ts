/** Tests the circuit breaker in the engine: which results open it, and which calls it rejects. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { CurrentClient } from "../../../../src/CallClient.ts"
import { cachingOptions } from "../../../support/CacheFixtures.ts"
import {
  breaker,
  circuitOpenError,
  failCalls,
  failingReply,
  options
} from "../../../support/CircuitFixtures.ts"
import { failureOf, failureOfFinished, immediateFailureOf } from "../../../support/Failures.ts"
import { callNumberOf, fetchPrice, forkPrices, indices, priceReply } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "../../../support/TestTime.ts"

describe("a circuit breaker", () => {
  const failures: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[500, 501, 502, 503, 504, 520, 599].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status)] as const
    ),
    ["a connection reset", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["a refused connection", ScriptedClient.Disconnect({ code: "ECONNREFUSED" })],
    ["an attempt timeout", ScriptedClient.Hang()],
    ["a 408 of the upstream", ScriptedClient.respond(408)],
    ["half a document", ScriptedClient.respond(200, "{\"usdPrice\":")]
  ]

  it.effect.each(failures)("opens after %s", ([, reply]) =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 second", call: "1 minute" } as const
      const harness = yield* TestClients.harness(() => reply, { ...options, timeouts })
      for (let time = 0; time < 3; time += 1) {
        yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)), "1 second")
      }
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject({
        _tag: "CircuitOpenError"
      })
      expect(harness.requests).toHaveLength(3)
    }))

  const harmless: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
    ...[400, 401, 402, 403, 404, 409, 410, 418, 422, 424, 425, 429, 451].map((status) =>
      [`a ${status}`, ScriptedClient.respond(status)] as const
    ),
    ["an unexpected shape", ScriptedClient.json({ usdPrice: "free" })],
    ["a body over the size limit", ScriptedClient.respond(200, "7".repeat(2000))],
    ["a success", priceReply]
  ]

  it.effect.each(harmless)("does not open after %s", ([, reply]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => reply, {
        ...options,
        breaker: { ...breaker, window: "1 day", openDuration: "1 day", maxOpenDuration: "1 day" },
        maxBodySize: 1000,
        rateLimit: { ...RateLimit.none, maxWait: "1 day" }
      })
      for (let time = 0; time < 9; time += 1) {
        yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)), "2 minutes")
      }
      expect(harness.requests).toHaveLength(9)
    }))

  it.effect("does not open after timeouts of the cache store", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const timeouts = { attempt: "1 second", call: "1 minute" } as const
      const harness = yield* TestClients.harness([], { ...cachingOptions, breaker, timeouts }).pipe(
        Effect.provideService(CacheStore.CacheStore, { ...store, nextVersion: Effect.never })
      )
      for (let time = 0; time < 9; time += 1) {
        expect(yield* whileTimePasses(failureOf(fetchPrice(harness, time)), "1 second")).toMatchObject({
          _tag: "TimeoutError"
        })
      }
    }))

  it.effect("does not open after interrupted calls, or calls with a short timeout", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 second", call: "1 second" } as const
      const harness = yield* TestClients.harness(
        (_, number) => number <= 12 ? ScriptedClient.Hang() : priceReply,
        {
          ...options,
          timeouts: { attempt: "10 seconds", call: "45 seconds" }
        }
      )
      for (let time = 0; time < 6; time += 1) {
        yield* whileTimePasses(
          Effect.ignore(CallOptions.withCallOptions({ timeouts })(fetchPrice(harness, time))),
          "1 second"
        )
      }
      for (let time = 0; time < 6; time += 1) {
        yield* Fiber.interrupt(yield* Effect.zipLeft(Effect.fork(fetchPrice(harness, time)), runPendingWork))
      }
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1.5 })
      expect(harness.requests).toHaveLength(13)
    }))

  it.effect("opens after calls that exceed the attempt timeout of the layer", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "10 seconds", call: "1 second" } as const
      const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), { ...options, timeouts })
      for (let time = 0; time < 3; time += 1) {
        yield* whileTimePasses(Effect.ignore(fetchPrice(harness, time)), "1 second")
      }
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject({
        _tag: "CircuitOpenError"
      })
    }))

  it.effect("applies to a base URL, for all API keys", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(
        ({ url }) => url.host === "here.test" ? failingReply : priceReply,
        {
          here: { ...options, baseUrl: "https://here.test" },
          otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
          there: { ...options, baseUrl: "https://there.test" }
        }
      )
      yield* failCalls(clients.here, 3)
      expect(yield* immediateFailureOf(fetchPrice(clients.otherKey, 1))).toMatchObject(circuitOpenError(5000))
      expect(yield* fetchPrice(clients.there, 1)).toMatchObject({ usdPrice: 1.5 })
      expect(requests).toHaveLength(4)
    }))

  it.effect("rejects queued attempts when it opens", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 second", cost: 1, burst: 3 })
      const harness = yield* TestClients.harness(() => ScriptedClient.delayed("500 millis", failingReply), {
        ...options,
        rateLimit
      })
      const fibers = yield* forkPrices(harness, indices(6))
      yield* TestClock.adjust("3 seconds")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2])
      // All of them when the first reaches the head of the queue
      for (const fiber of fibers.slice(3)) {
        expect(yield* failureOfFinished(fiber)).toMatchObject(circuitOpenError(4500))
      }
    }))

  it.effect("rejects before an attempt is queued", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "4 seconds", cost: 1, burst: 3 })
      const harness = yield* TestClients.harness(() => failingReply, { ...options, rateLimit })
      yield* failCalls(harness, 3)
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject(circuitOpenError(5000))
    }))
})

describe("clients of a gateway", () => {
  const forClient = (name: string) => Effect.provideService(CurrentClient, { name, weight: 1, share: 1 })

  it.effect("have circuit breakers of their own, so that one that always fails does not stop the others", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (request) => callNumberOf(request) === 1 ? failingReply : priceReply,
        options
      )
      for (let time = 0; time < 3; time += 1) {
        yield* Effect.ignore(fetchPrice(harness, 1)).pipe(forClient("failing"))
      }
      expect(yield* immediateFailureOf(fetchPrice(harness, 1).pipe(forClient("failing"))))
        .toMatchObject({ _tag: "CircuitOpenError" })
      expect(yield* fetchPrice(harness, 2).pipe(forClient("other"))).toMatchObject({ usdPrice: 1.5 })
    }))
})
