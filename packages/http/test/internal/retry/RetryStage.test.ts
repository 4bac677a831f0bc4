/** Tests the retry budget, and schedules in place of policies. The timelines show which responses are retried, and when. */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schedule from "effect/Schedule"
import { failureOf } from "../../support/Failures.ts"
import { fetchPrice, indices, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { waitsBetween, whileTimePasses } from "../../support/TestTime.ts"

it.effect.prop(
  "an upstream receives at most as many retries as the capacity, plus the refill per success",
  {
    // Attempts that succeed.
    outcomes: FastCheck.array(FastCheck.oneof(FastCheck.boolean(), FastCheck.constant(false)), {
      minLength: 1,
      maxLength: 60
    }),
    attempts: FastCheck.integer({ min: 1, max: 6 }),
    capacity: FastCheck.nat(12),
    refill: FastCheck.constantFrom(0, 0.1, 0.5, 1, 3),
    concurrency: FastCheck.constantFrom<1 | "unbounded">(1, "unbounded")
  },
  ({ attempts, capacity, concurrency, outcomes, refill }) =>
    Effect.gen(function*() {
      const works = (number: number) => outcomes[number % outcomes.length] === true
      const calls = Math.min(20, outcomes.length)
      const harness = yield* TestClients.harness(
        (_, number) => works(number) ? priceReply : ScriptedClient.respond(500),
        {
          ...minimalOptions,
          retry: { ...TestClients.immediateRetries(attempts), budget: { capacity, refill } }
        }
      )
      const fetched = Effect.forEach(
        indices(calls),
        (number) => Effect.ignore(fetchPrice(harness, number)),
        { concurrency, discard: true }
      )
      yield* whileTimePasses(fetched)
      const successes = harness.requests.filter((_, index) => works(index + 1)).length
      const retries = harness.requests.length - calls
      expect(retries).toBeLessThanOrEqual(capacity + refill * successes + 1e-6)
      if (successes === 0) expect(retries).toBe(Math.min(capacity, calls * (attempts - 1)))
    })
)

describe("a schedule", () => {
  const failing = (status: number, headers = {}) => () => ScriptedClient.respond(status, "", headers)

  it.effect("decides whether and when to retry, by the error of each attempt", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const retry: RetryPolicy.RetrySchedule = Schedule.exponential("100 millis").pipe(
        Schedule.tapInput((error: OperationError) => Effect.sync(() => void seen.push(error._tag))),
        Schedule.whileInput((error: OperationError) => error._tag !== "NetworkError")
      )
      const replies = [
        ScriptedClient.respond(500),
        ScriptedClient.respond(503),
        ScriptedClient.respond(200, "{"),
        ScriptedClient.Disconnect({ code: "ECONNRESET" })
      ]
      const harness = yield* TestClients.harness(replies, { ...minimalOptions, retry })
      expect(yield* whileTimePasses(failureOf(fetchPrice(harness, 1)))).toMatchObject({
        _tag: "NetworkError"
      })
      expect(seen).toEqual(["ServerError", "ServerError", "InvalidResponseError", "NetworkError"])
      expect(waitsBetween(harness.requests)).toEqual([100, 200, 400])
    }))

  it.effect("does not shorten Retry-After, and exceeds neither the budget nor the timeout of the call", () =>
    Effect.gen(function*() {
      const retry = Schedule.spaced("2 seconds")
      const waiting = yield* TestClients.harness(
        (_, number) =>
          number < 3
            ? ScriptedClient.respond(503, "", { "retry-after": number === 1 ? "7" : "1" })
            : priceReply,
        { ...minimalOptions, retry }
      )
      yield* whileTimePasses(fetchPrice(waiting, 1))
      expect(waitsBetween(waiting.requests)).toEqual([7000, 2000])
      const failed = yield* TestClients.harness(failing(500), {
        ...minimalOptions,
        retry: { budget: { capacity: 3 } }
      })
      yield* whileTimePasses(failureOf(fetchPrice(failed, 1).pipe(CallOptions.withCallOptions({ retry }))))
      expect(failed.requests).toHaveLength(4)
      const timed = yield* TestClients.harness(failing(500), {
        ...minimalOptions,
        retry,
        timeouts: { call: "5 seconds" }
      })
      expect(yield* whileTimePasses(failureOf(fetchPrice(timed, 1)))).toMatchObject({ _tag: "ServerError" })
      expect(timed.requests).toHaveLength(3)
    }))

  it.effect("gets only failures that are worth a retry, and ends with that of a call that overrides it", () =>
    Effect.gen(function*() {
      const retry = Schedule.recurs(2)
      const counts = yield* Effect.forEach(
        [[400, {}], [500, {}], [500, { retry: RetryPolicy.none }], [500, { retry: Schedule.recurs(5) }], [
          500,
          { timeouts: {} }
        ]] as const,
        ([status, options]) =>
          Effect.gen(function*() {
            const harness = yield* TestClients.harness(failing(status), { ...minimalOptions, retry })
            yield* whileTimePasses(
              failureOf(fetchPrice(harness, 1).pipe(CallOptions.withCallOptions(options)))
            )
            return harness.requests.length
          })
      )
      expect(counts).toEqual([1, 3, 1, 6, 3])
    }))
})
