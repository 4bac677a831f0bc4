/** Tests that calls succeed while one of several keys works. The timelines show cooldowns, failover and limits of keys. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { failureOf } from "../../support/Failures.ts"
import {
  fetchPrice,
  forkPrices,
  indices,
  minimalOptions,
  priceReply,
  throttledReply
} from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { keysOf, labelOf } from "../../support/TestEngine.ts"
import { whileTimePasses } from "../../support/TestTime.ts"

const withKeys = (...labels: ReadonlyArray<string>) => ({ ...minimalOptions, apiKey: keysOf(...labels) })

it.effect("an attempt uses no other key if the store is unavailable", () =>
  Effect.gen(function*() {
    let acquired = 0
    const harness = yield* TestClients.harness(() => priceReply, withKeys("a", "b")).pipe(
      Effect.provideService(RateLimitStore.RateLimitStore, {
        ...(yield* RateLimitStore.memory),
        acquire: () =>
          Effect.suspend(() => {
            acquired += 1
            return new StoreError({ reason: "refused" })
          })
      })
    )
    const failure = yield* failureOf(fetchPrice(harness, 1))
    expect([failure, acquired]).toMatchObject([{ _tag: "LocalLimitError", limit: "unavailable" }, 1])
  }))

describe("with several keys", () => {
  const bad = FastCheck.constantFrom(401, 402, 403, 407, 424)

  it.effect.prop(
    "no call fails while one key works, and no attempt uses a key twice",
    {
      keys: FastCheck.array(FastCheck.option(bad), { minLength: 1, maxLength: 6 }),
      works: FastCheck.nat(),
      steps: FastCheck.array(
        FastCheck.record({ calls: FastCheck.integer({ min: 1, max: 4 }), after: FastCheck.nat(5000) }),
        { minLength: 1, maxLength: 12 }
      )
    },
    ({ keys, steps, works }) =>
      Effect.gen(function*() {
        const labels = keys.map((_, index) => `key${index}`)
        const good = `key${works % keys.length}`
        const harness = yield* TestClients.harness((requests) => {
          const label = labelOf(requests)
          const status = label === good ? null : keys[labels.indexOf(label)] ?? null
          return ScriptedClient.delayed(
            "10 millis",
            status === null ? priceReply : ScriptedClient.respond(status)
          )
        }, withKeys(...labels))
        for (const { after, calls } of steps) {
          const fibers = yield* forkPrices(harness, indices(calls))
          yield* TestClock.adjust(100)
          for (const fiber of fibers) expect(Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
          yield* TestClock.adjust(after)
        }
        const calls = steps.reduce((sum, step) => sum + step.calls, 0)
        expect(harness.requests.length).toBeLessThanOrEqual(calls * keys.length)
      })
  )

  it.effect.prop(
    "calls succeed although keys are rejected, exhausted or throttled now and then",
    {
      faults: FastCheck.array(FastCheck.constantFrom(200, 401, 402, 403, 429, 429), {
        minLength: 1,
        maxLength: 20
      }),
      pauses: FastCheck.array(FastCheck.boolean(), { maxLength: 10 }),
      keys: FastCheck.integer({ min: 1, max: 4 })
    },
    ({ faults, keys, pauses }) =>
      Effect.gen(function*() {
        const labels = indices(keys).map((index) => `key${index}`)
        const counts = { good: 0, others: 0 }
        // One key works, but is throttled now and then.
        const harness = yield* TestClients.harness((requests) => {
          if (labelOf(requests) === "good") {
            return pauses[counts.good++] === true
              ? throttledReply("2")
              : priceReply
          }
          const fault = faults[counts.others++ % faults.length] ?? 200
          return fault === 200
            ? priceReply
            : fault === 429
            ? throttledReply("2")
            : ScriptedClient.respond(fault)
        }, {
          ...withKeys(...labels, "good"),
          rateLimit: { ...minimalOptions.rateLimit, maxWait: "1 day" },
          retry: { ...TestClients.immediateRetries(100), budget: { capacity: 1e9, refill: 0 } }
        })
        for (const number of indices(8)) yield* whileTimePasses(fetchPrice(harness, number), "5 minutes")
        expect(harness.requests.length).toBeGreaterThanOrEqual(8)
      })
  )
})
