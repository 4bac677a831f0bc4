/** Tests the retry budget. The timelines show which responses are retried, and when. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { fetchPrice, indices, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { whileTimePasses } from "../../support/TestTime.ts"

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
