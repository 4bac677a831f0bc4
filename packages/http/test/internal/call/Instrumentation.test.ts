/** Tests the metrics of the stages. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import { withLabels } from "../../support/MetricReader.ts"
import { fetchPrice, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "../../support/TestTime.ts"

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
