/** Tests the metrics of the stages. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../../support/CacheFixtures.ts"
import { increaseOf, withLabels } from "../../support/MetricReader.ts"
import { fetchPrice, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "../../support/TestTime.ts"

const operation = "tokenPrice"

/** Returns the number of waits by reason during a call, and their total seconds. */
const waits = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const all = Effect.forEach(
      ["backoff", "rate_limit", "cooldown", "concurrency"],
      (reason) => Metric.value(withLabels(Telemetry.waitDuration, { reason }))
    )
    const before = yield* all
    yield* call
    const after = yield* all
    return after.map(({ count, sum }, index) => [
      count - (before[index]?.count ?? 0),
      Math.round((sum - (before[index]?.sum ?? 0)) * 1000) / 1000
    ])
  })

describe("retries", () => {
  it.effect("are counted by cause, and their backoff is measured", () =>
    Effect.gen(function*() {
      const script = [
        ScriptedClient.respond(500, "", { "retry-after": "2" }),
        ScriptedClient.respond(503, "", { "retry-after": "3" }),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        priceReply
      ]
      const retry = TestClients.immediateRetries(9)
      const call = (cause: string) =>
        Effect.flatMap(
          TestClients.harness(script, { ...minimalOptions, retry }),
          (harness) =>
            increaseOf(Telemetry.retries, { operation, cause }, whileTimePasses(fetchPrice(harness, 1)))
        )
      expect(yield* call("transient")).toBe(2)
      expect(yield* call("throttled")).toBe(1)
      const harness = yield* TestClients.harness(script, { ...minimalOptions, retry })
      expect(yield* waits(whileTimePasses(fetchPrice(harness, 1)))).toEqual([[3, 5], [0, 0], [0, 0], [0, 0]])
    }))
})

describe("waits", () => {
  it.effect("for the rate limit, a cooldown or a slot are measured by reason, and only if they occur", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "4 seconds", cost: 1, maxWait: "1 day" })
      const limited = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit })
      expect(yield* waits(fetchPrice(limited, 1))).toEqual([[0, 0], [0, 0], [0, 0], [0, 0]])
      expect(yield* waits(whileTimePasses(fetchPrice(limited, 1)))).toEqual([[0, 0], [1, 4], [0, 0], [0, 0]])
      const inCooldown = yield* TestClients.harness([
        ScriptedClient.respond(429, "", { "retry-after": "7" }),
        priceReply
      ], minimalOptions)
      yield* Effect.ignore(fetchPrice(inCooldown, 1))
      expect(yield* waits(whileTimePasses(fetchPrice(inCooldown, 1)))).toEqual([[0, 0], [0, 0], [1, 7], [
        0,
        0
      ]])
      const crowded = yield* TestClients.harness(
        () => ScriptedClient.delayed("5 seconds", priceReply),
        { ...minimalOptions, concurrency: { limit: 1, maxQueue: 9 } }
      )
      const both = Effect.all([fetchPrice(crowded, 1), fetchPrice(crowded, 2)], { concurrency: "unbounded" })
      expect(yield* waits(whileTimePasses(both))).toEqual([[0, 0], [0, 0], [0, 0], [1, 5]])
    }))
})

describe("the cost", () => {
  it.effect("is counted for each attempt that is sent, and for no other", () =>
    Effect.gen(function*() {
      const cost = (rateLimit: RateLimit.RateLimit) =>
        Effect.flatMap(
          TestClients.harness(() => ScriptedClient.respond(500), {
            ...minimalOptions,
            rateLimit,
            retry: TestClients.immediateRetries(3)
          }),
          (harness) => increaseOf(Telemetry.costUnits, { operation }, Effect.ignore(fetchPrice(harness, 1)))
        )
      expect(yield* cost(RateLimit.none)).toBe(9)
      expect(yield* cost({ ...RateLimit.none, cost: 7 })).toBe(21)
      expect(yield* cost(RateLimit.make({ limit: 1, window: "1 day", burst: 10, cost: 5 }))).toBe(10)
    }))
})

describe("cache requests", () => {
  it.effect("are counted by result", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) =>
          number === 3
            ? ScriptedClient.respond(500)
            : ScriptedClient.delayed("1 second", numberedPrice(requests, number)),
        cachingOptions
      )
      const results = ["hit", "stale", "stale_if_error", "coalesced", "miss"]
      const counts = Effect.forEach(
        results,
        (result) =>
          Effect.map(Metric.value(withLabels(Telemetry.cacheRequests, { operation, result })), ({ count }) =>
            count)
      )
      const rises = <A, E>(call: Effect.Effect<A, E>) =>
        Effect.gen(function*() {
          const before = yield* counts
          yield* call
          const after = yield* counts
          return Object.fromEntries(
            results.map((result, index) =>
              [result, (after[index] ?? 0) - (before[index] ?? 0)] as const
            )
              .filter(([, count]) => count > 0)
          )
        })
      const call = fetchPrice(harness, 1)
      const three = Effect.all([call, call, call], { concurrency: "unbounded" })
      expect(yield* rises(whileTimePasses(three, "1 second"))).toEqual({ miss: 1, coalesced: 2 })
      expect(yield* rises(call)).toEqual({ hit: 1 })
      yield* TestClock.adjust("5 seconds")
      expect(yield* rises(whileTimePasses(call, "1 second"))).toEqual({ stale: 1 })
      yield* TestClock.adjust("20 seconds")
      expect(yield* rises(call)).toEqual({ miss: 1, stale_if_error: 1 })
      expect(
        yield* rises(
          CallOptions.withCallOptions({ cacheMode: "no-store" })(whileTimePasses(call, "1 second"))
        )
      ).toEqual({})
    }))
})

describe("the circuit breaker", () => {
  it.effect("reports its state by upstream", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (_, number) =>
          number < 5 ? ScriptedClient.respond(500) : ScriptedClient.delayed("1 second", priceReply),
        {
          ...minimalOptions,
          breaker: { ...CircuitBreaker.standard, minimum: 3 },
          baseUrl: "https://breaker.test:8443/base"
        }
      )
      const state = Effect.map(
        Metric.value(withLabels(Telemetry.circuitBreakerState, { upstream: "breaker.test:8443" })),
        ({ value }) => value
      )
      for (let time = 0; time < 3; time += 1) yield* Effect.ignore(fetchPrice(harness, 1))
      expect(yield* state).toBe(2)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.ignore(fetchPrice(harness, 1))
      expect(yield* state).toBe(2)
      yield* TestClock.adjust("10 seconds")
      const trial = yield* Effect.fork(fetchPrice(harness, 1))
      yield* runPendingWork
      expect(yield* state).toBe(1)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(trial)
      expect(yield* state).toBe(0)
    }))
})
