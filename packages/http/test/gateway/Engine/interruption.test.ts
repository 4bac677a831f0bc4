/** Tests that calls that are interrupted release everything they hold, exactly once. */
import * as CallContext from "@blockquarry/http/gateway/CallContext"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Number from "effect/Number"
import * as TestClock from "effect/TestClock"
import { numberedPrice } from "../../support/CacheFixtures.ts"
import { withLabels } from "../../support/MetricReader.ts"
import { indices } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness } from "../../support/TestEngine.ts"
import { fewRuns, runPendingWork } from "../../support/TestTime.ts"

const operation = "tokenPrice"

const countOf = (metric: typeof Telemetry.calls, labels: Readonly<Record<string, string>>) =>
  Effect.map(Metric.value(withLabels(metric, labels)), ({ count }) => count)

const calls = FastCheck.array(
  FastCheck.record({
    token: FastCheck.nat(2),
    startsAt: FastCheck.nat(30),
    // Each response takes 10 ms; one in five fails and is retried.
    interruptedAfter: FastCheck.option(FastCheck.integer({ min: 1, max: 40 })),
    cacheMode: FastCheck.constantFrom(...["default", "default", "reload", "no-store"] as const),
    timeout: FastCheck.constantFrom(5, 15, 1000)
  }),
  { minLength: 1, maxLength: 10 }
)

describe("calls that are interrupted", () => {
  it.effect.prop(
    "release their slot, timers and coalesced request exactly once, and are counted once",
    { calls, limit: FastCheck.integer({ min: 1, max: 3 }), caches: FastCheck.boolean() },
    ({ caches, calls, limit }) =>
      Effect.gen(function*() {
        const script: ScriptedClient.Script = (request, number) =>
          ScriptedClient.delayed(
            "10 millis",
            number % 5 === 0 ? ScriptedClient.respond(500) : numberedPrice(request, number)
          )
        const harness = yield* engineHarness(script, {
          cache: caches ? ResponseCache.standard : ResponseCache.none,
          concurrency: { limit, maxQueue: 100 },
          retry: TestClients.immediateRetries(2)
        })
        const outcomes = Effect.all({
          ok: countOf(Telemetry.calls, { operation, outcome: "ok" }),
          interrupted: countOf(Telemetry.calls, { operation, outcome: "interrupted" }),
          cost: countOf(Telemetry.costUnits, { operation })
        })
        const before = yield* outcomes
        const reservations = calls.map(() => ({ sent: 0, onUsage: null }))
        const fibers = yield* Effect.forEach(calls, (call, index) =>
          Effect.gen(function*() {
            yield* Effect.sleep(call.startsAt)
            const context = CallContext.make({
              options: {
                cacheMode: call.cacheMode,
                timeouts: { attempt: "1 second", call: call.timeout }
              },
              ...reservations[index] && { reservation: reservations[index] }
            })
            const fiber = yield* Effect.fork(harness.send(call.token, context))
            if (call.interruptedAfter === null) return yield* Fiber.await(fiber)
            yield* Effect.sleep(call.interruptedAfter)
            return yield* Fiber.interrupt(fiber)
          }).pipe(Effect.fork))
        yield* TestClock.adjust("5 seconds")
        const exits = yield* Fiber.join(Fiber.all(fibers))
        const after = yield* outcomes
        expect(after.ok - before.ok).toBe(exits.filter(Exit.isSuccess).length)
        expect(after.interrupted - before.interrupted).toBe(exits.filter(Exit.isInterrupted).length)
        // A price costs 3 units. Requests in the queue that were cancelled cost nothing.
        expect(after.cost - before.cost).toBe(3 * harness.requests.length)
        if (!caches) expect(Number.sumAll(reservations.map(({ sent }) => sent))).toBe(harness.requests.length)
        expect(Chunk.toReadonlyArray(yield* TestClock.sleeps())).toEqual([])
        // With a slot too few, not all of these would be sent; with one too many, another.
        const requestsBefore = harness.requests.length
        const others = yield* Effect.forEach(
          indices(limit + 2),
          (index) => Effect.fork(Effect.exit(harness.send(100 + index)))
        )
        yield* runPendingWork
        expect(harness.requests.length - requestsBefore).toBe(limit)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(Fiber.all(others))
      }),
    fewRuns
  )
})
