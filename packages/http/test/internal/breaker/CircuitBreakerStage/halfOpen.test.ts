/** Tests half-open circuit breakers: one attempt is the trial, and all others are rejected. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { circuitOpenError, failCalls, failingReply, options } from "../../../support/CircuitFixtures.ts"
import { failureOfFinished, immediateFailureOf } from "../../../support/Failures.ts"
import { fetchPrice, forkPrices, indices, priceReply, sentAtSeconds } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

describe("a circuit breaker after openDuration", () => {
  /** Opens a circuit breaker at 0. Every later request gets the reply `later`. */
  const opened = (later: (number: number) => ScriptedClient.ScriptedReply) =>
    Effect.tap(
      TestClients.harness((_, number) => number <= 3 ? failingReply : later(number - 3), options),
      (harness) => failCalls(harness, 3)
    )

  it.effect("admits one trial and rejects all others, and closes when it succeeds", () =>
    Effect.gen(function*() {
      const harness = yield* opened(() => ScriptedClient.delayed("2 seconds", priceReply))
      yield* TestClock.adjust("5 seconds")
      const [trial, ...others] = yield* forkPrices(harness, indices(10))
      expect(harness.requests).toHaveLength(4)
      for (const fiber of others) {
        expect(yield* failureOfFinished(fiber)).toMatchObject(circuitOpenError(1000))
      }
      yield* TestClock.adjust("2 seconds")
      if (trial !== undefined) expect(yield* Fiber.join(trial)).toMatchObject({ usdPrice: 1.5 })
      yield* forkPrices(harness, indices(10))
      expect(harness.requests).toHaveLength(14)
    }))

  it.effect("stays open twice as long after each failed trial, up to maxOpenDuration", () =>
    Effect.gen(function*() {
      const harness = yield* opened((number) => number < 4 ? failingReply : priceReply)
      for (const length of [5000, 10_000, 15_000]) {
        expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject(circuitOpenError(length))
        yield* TestClock.adjust(length - 1)
        expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject(circuitOpenError(1))
        yield* TestClock.adjust(1)
        yield* Effect.ignore(fetchPrice(harness, 1))
      }
      expect(sentAtSeconds(harness.requests)).toEqual([0, 0, 0, 5, 15, 30])
      yield* TestClock.adjust("15 seconds")
      yield* failCalls(harness, 5)
      expect(harness.requests).toHaveLength(11)
    }))

  it.effect("admits another trial immediately after one was interrupted", () =>
    Effect.gen(function*() {
      const harness = yield* opened((number) =>
        number === 1 ? ScriptedClient.Hang() : ScriptedClient.delayed("1 second", priceReply)
      )
      yield* TestClock.adjust("5 seconds")
      const [trial] = yield* forkPrices(harness, [0])
      expect(yield* immediateFailureOf(fetchPrice(harness, 2))).toMatchObject(circuitOpenError(1000))
      if (trial !== undefined) yield* Fiber.interrupt(trial)
      yield* forkPrices(harness, [3])
      expect(yield* immediateFailureOf(fetchPrice(harness, 4))).toMatchObject(circuitOpenError(1000))
      yield* TestClock.adjust("1 second")
      yield* forkPrices(harness, indices(5))
      expect(harness.requests).toHaveLength(10)
    }))

  it.effect("counts from zero after it closed", () =>
    Effect.gen(function*() {
      const harness = yield* opened((number) => number === 1 ? priceReply : failingReply)
      yield* TestClock.adjust("5 seconds")
      yield* failCalls(harness, 3)
      expect(harness.requests).toHaveLength(6)
      yield* failCalls(harness, 2)
      expect(harness.requests).toHaveLength(7)
    }))

  it.effect("ignores results of attempts from before it opened", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (_, number) =>
          number === 1
            ? ScriptedClient.delayed("2 seconds", priceReply)
            : number <= 4
            ? failingReply
            : priceReply,
        options
      )
      yield* forkPrices(harness, [0])
      yield* failCalls(harness, 3)
      yield* TestClock.adjust("2 seconds")
      expect(yield* immediateFailureOf(fetchPrice(harness, 9))).toMatchObject(circuitOpenError(3000))
    }))
})
