/** Tests that calls succeed while one of several keys works. The timelines show cooldowns, failover and limits of keys. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { fetchPrice, indices, minimalOptions, priceReply, throttledReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { keysOf, labelOf } from "../../support/TestEngine.ts"
import { fewRuns, runPendingWork } from "../../support/TestTime.ts"

it.effect.prop(
  "no call fails while one key works, and no attempt uses a key twice",
  {
    /** What the upstream responds to each key, in turn. */
    statuses: FastCheck.array(
      FastCheck.array(FastCheck.constantFrom(200, 401, 402, 403, 407, 424, 429), {
        minLength: 1,
        maxLength: 4
      }),
      { minLength: 1, maxLength: 5 }
    ),
    works: FastCheck.nat(),
    steps: FastCheck.array(
      FastCheck.record({ calls: FastCheck.integer({ min: 1, max: 4 }), after: FastCheck.nat(5000) }),
      { minLength: 1, maxLength: 6 }
    )
  },
  ({ statuses, steps, works }) =>
    Effect.gen(function*() {
      const labels = statuses.map((_, index) => `key${index}`)
      const good = works % labels.length
      const counts = labels.map(() => 0)
      const harness = yield* TestClients.harness((request) => {
        const key = labels.indexOf(labelOf(request))
        const inTurn = statuses[key] ?? []
        const status = key === good
          ? 200
          : inTurn[(counts[key] = (counts[key] ?? 0) + 1) % inTurn.length] ?? 200
        const reply = status === 200
          ? priceReply
          : status === 429
          ? throttledReply("2")
          : ScriptedClient.respond(status)
        return ScriptedClient.delayed("10 millis", reply)
      }, { ...minimalOptions, apiKey: keysOf(...labels) })
      let calls = 0
      for (const step of steps) {
        calls += step.calls
        const fibers = yield* Effect.forEach(indices(step.calls), (number) =>
          Effect.zipLeft(Effect.fork(fetchPrice(harness, number)), runPendingWork))
        yield* TestClock.adjust(100)
        yield* Fiber.joinAll(fibers)
        yield* TestClock.adjust(step.after)
      }
      expect(harness.requests.length).toBeLessThanOrEqual(calls * labels.length)
    }),
  fewRuns
)
