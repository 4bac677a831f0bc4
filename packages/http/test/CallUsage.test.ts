/** Receipts: what a call spent is charged to whoever began to ask, once. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "./support/CacheFixtures.ts"
import { fetchPrice, minimalOptions, priceReply, throttledReply } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "./support/TestTime.ts"

const noUsage = { attempts: 0, cost: 0, waitMillis: 0 }

/** The units of a price. */
const units = 3

describe("a receipt", () => {
  it.effect("holds each attempt, its units, and the waits between them", () =>
    Effect.gen(function*() {
      const script = [
        ScriptedClient.respond(500, "", { "retry-after": "2" }),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        priceReply
      ]
      const harness = yield* TestClients.harness(script, {
        ...minimalOptions,
        retry: TestClients.immediateRetries(9)
      })
      const usage = CallUsage.make()
      expect(usage).toEqual(noUsage)
      yield* whileTimePasses(CallUsage.withCallUsage(usage)(fetchPrice(harness, 1)))
      expect(usage).toEqual({ attempts: 3, cost: 3 * units, waitMillis: 2000 })
    }))

  it.effect("holds the waits for budgets, pauses and places", () =>
    Effect.gen(function*() {
      const longWaitLimit = { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "1 day" } } as const
      const limited = RateLimit.make({ limit: 1, window: "1 second", cost: 1 })
      const cases: ReadonlyArray<readonly [ScriptedClient.Script, TestClients.HarnessOptions, number]> = [
        [() => priceReply, { ...minimalOptions, rateLimit: limited }, 1000],
        [(_, number) => number === 1 ? throttledReply("5") : priceReply, longWaitLimit, 5000],
        [
          (_, number) => number === 1 ? ScriptedClient.delayed("7 seconds", priceReply) : priceReply,
          { ...minimalOptions, concurrency: { limit: 1, maxQueue: 9 } },
          7000
        ]
      ]
      for (const [script, options, waited] of cases) {
        const harness = yield* TestClients.harness(script, options)
        const [first, second] = [CallUsage.make(), CallUsage.make()]
        const fibers = yield* Effect.forEach([first, second], (usage) =>
          Effect.zipLeft(
            Effect.fork(CallUsage.withCallUsage(usage)(Effect.exit(fetchPrice(harness, 1)))),
            runPendingWork
          ))
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        expect(first.waitMillis).toBe(0)
        expect(second).toMatchObject({ attempts: 1, waitMillis: waited })
      }
    }))

  it.effect("is that of the caller who began a flight, and those who join it are charged nothing", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) =>
          ScriptedClient.delayed(
            "1 second",
            number === 1 ? ScriptedClient.respond(500) : numberedPrice(requests, 1)
          ),
        {
          ...cachingOptions,
          retry: TestClients.immediateRetries(2),
          timeouts: { attempt: "10 seconds", call: "1 minute" }
        }
      )
      const usages = [CallUsage.make(), CallUsage.make(), CallUsage.make()]
      const fibers = yield* Effect.forEach(
        usages,
        (usage) =>
          Effect.zipLeft(Effect.fork(CallUsage.withCallUsage(usage)(fetchPrice(harness, 1))), runPendingWork)
      )
      const [first] = fibers
      // Whoever began it pays for all of it, though they hung up.
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 minute")
      expect(usages).toEqual([{ attempts: 2, cost: 2 * units, waitMillis: 0 }, noUsage, noUsage])
    }))

  it.effect("is charged nothing for an answer that was kept, nor by the calls beside it", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      const usage = CallUsage.make()
      yield* fetchPrice(harness, 1)
      yield* CallUsage.withCallUsage(usage)(fetchPrice(harness, 1))
      expect(usage).toEqual(noUsage)
      yield* CallUsage.withCallUsage(usage)(
        CallOptions.withCallOptions({ cacheMode: "reload" })(fetchPrice(harness, 1))
      )
      yield* fetchPrice(harness, 2)
      expect(usage).toEqual({ attempts: 1, cost: units, waitMillis: 0 })
    }))

  it.effect("is charged alone within another one's region, and holds all calls of its own", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, minimalOptions)
      const [outer, inner] = [CallUsage.make(), CallUsage.make()]
      const both = Effect.all([fetchPrice(harness, 1), fetchPrice(harness, 2)], { concurrency: "unbounded" })
      yield* CallUsage.withCallUsage(outer)(
        Effect.zipRight(fetchPrice(harness, 3), CallUsage.withCallUsage(inner)(both))
      )
      expect(outer).toEqual({ attempts: 1, cost: units, waitMillis: 0 })
      expect(inner).toEqual({ attempts: 2, cost: 2 * units, waitMillis: 0 })
    }))
})
