/** Tests what happens in a process whose system clock is set back by an hour: nothing lasts longer. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import { upstreamHealth } from "../../src/gateway/Engine.ts"
import { SteadyClock } from "../../src/gateway/SteadyClock.ts"
import * as CustomClock from "../faults/support/CustomClock.ts"
import { cachingOptions, numberedPrice } from "../support/CacheFixtures.ts"
import { failureOf } from "../support/Failures.ts"
import { fetchPrice, minimalOptions, priceReply } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import { engineHarness } from "../support/TestEngine.ts"

const hour = 3_600_000

describe("steady time", () => {
  it("follows the system clock, and never goes back", () => {
    const steps = FastCheck.array(FastCheck.integer({ min: -2 * hour, max: hour }))
    FastCheck.assert(FastCheck.property(steps, (steps) => {
      let system = hour
      const clock = new SteadyClock(CustomClock.makeClock(() => system, () => () => {}))
      let previous = clock.unsafeCurrentTimeMillis()
      expect(previous).toBe(hour)
      for (const step of steps) {
        system += step
        const now = clock.unsafeCurrentTimeMillis()
        expect(now).toBeGreaterThanOrEqual(previous)
        expect(now - previous).toBeLessThanOrEqual(Math.max(0, step))
        // At most the tolerated disorder
        expect(clock.toSystem(now) - system).toBeLessThanOrEqual(1000)
        previous = now
      }
    }))
  })
})

type AdjustableClock = Effect.Effect.Success<typeof CustomClock.adjustable>

/** Runs a test two hours after the epoch, with a clock that it can set back. */
const withClock = <A, E>(
  test: (setBack: AdjustableClock["setBack"], adjust: AdjustableClock["adjust"]) => Effect.Effect<A, E>
) =>
  Effect.flatMap(
    CustomClock.adjustable,
    ({ adjust, clock, setBack }) =>
      Effect.withClock(Effect.zipRight(adjust(2 * hour), test(setBack, adjust)), clock)
  )

describe("if the clock is set back by an hour,", () => {
  it.effect("a cached response of unknown age is not served, and the next one is for as long as ever", () =>
    withClock((setBack, adjust) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
        const price = Effect.map(fetchPrice(harness, 1), ({ usdPrice }) => usdPrice)
        expect(yield* price).toBe(1)
        yield* adjust(1000)
        setBack(hour)
        expect(yield* price).toBe(2)
        yield* adjust(4999)
        expect(yield* price).toBe(2)
        yield* adjust(10_000)
        expect(yield* price).toBe(3)
      })
    ))

  it.effect("a circuit breaker stays open for as long as before, and reports the right time", () =>
    withClock((setBack, adjust) =>
      Effect.gen(function*() {
        const { engine, requests, send } = yield* engineHarness(
          (_, number) => number <= 3 ? ScriptedClient.respond(500) : priceReply,
          { ...minimalOptions, breaker: { minimum: 3 } }
        )
        for (let time = 0; time < 3; time += 1) yield* send(time)
        yield* adjust(1000)
        setBack(hour)
        expect(yield* Effect.flip(send(3))).toMatchObject({
          _tag: "CircuitOpenError",
          retryAfter: Duration.seconds(4)
        })
        expect(yield* upstreamHealth(engine)).toMatchObject([{ breaker: "open", retryAt: hour + 5000 }])
        yield* adjust(4000)
        yield* send(3)
        expect(requests).toHaveLength(4)
      })
    ))

  it.effect("a call ends at its deadline", () =>
    withClock((setBack, adjust) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(() => ScriptedClient.Hang(), {
          ...minimalOptions,
          retry: TestClients.immediateRetries(9),
          timeouts: { attempt: "2 seconds", call: "5 seconds" }
        })
        const call = yield* Effect.fork(failureOf(fetchPrice(harness, 1)))
        yield* adjust(1000)
        setBack(hour)
        yield* adjust(4000)
        expect(call.unsafePoll()).not.toBeNull()
        expect(yield* Fiber.join(call)).toMatchObject({ _tag: "TimeoutError", scope: "call" })
        expect(harness.requests).toHaveLength(3)
      })
    ))
})
