/** The usage of calls. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "./support/CacheFixtures.ts"
import { fetchPrice, minimalOptions, priceReply, throttledReply } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"
import { runPendingWork, whileTimePasses } from "./support/TestTime.ts"

const noUsage = CallUsage.none

/** The units of a price. */
const units = 3

describe("call usage", () => {
  it.effect("contains attempts, their cost and the waits between them", () =>
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
      const [price, usage] = yield* whileTimePasses(CallUsage.withUsage(fetchPrice(harness, 1)))
      expect(price).toEqual(yield* fetchPrice(yield* TestClients.harness([priceReply]), 1))
      expect(usage).toEqual({ ...noUsage, attempts: 3, cost: 3 * units, waitMillis: 2000 })
    }))

  it.effect("counts fields that could not be read when a response is decoded, by operation and field", () =>
    Effect.gen(function*() {
      const drifted = ScriptedClient.json({
        usdPrice: 1.5,
        "24hrPercentChange": "N/A",
        pairTotalLiquidityUsd: "",
        nativePrice: { value: "0.5" }
      })
      const count = (field: string) =>
        Effect.map(
          Metric.value(
            Telemetry.unreadableFields.pipe(
              Metric.tagged("operation", "tokenPrice"),
              Metric.tagged("field", field)
            )
          ),
          ({ count }) => count
        )
      const before = yield* count("24hrPercentChange")
      const harness = yield* TestClients.harness(() => drifted, cachingOptions)
      const [price, usage] = yield* CallUsage.withUsage(fetchPrice(harness, 1))
      expect(price).toMatchObject({
        "24hrPercentChange": null,
        pairTotalLiquidityUsd: null,
        nativePrice: { value: null }
      })
      expect(usage.unreadableFields).toBe(2)
      const [, cached] = yield* CallUsage.withUsage(fetchPrice(harness, 1))
      expect(cached).toEqual(noUsage)
      expect((yield* count("24hrPercentChange")) - before).toBe(1)
      expect(yield* count("nativePrice.value")).toBeGreaterThan(0)
      expect(yield* count("pairTotalLiquidityUsd")).toBe(0)
    }))

  it.effect("contains waits for rate limit, cooldown and concurrency limit", () =>
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
        const fibers = yield* Effect.replicateEffect(
          Effect.zipLeft(
            Effect.fork(CallUsage.withUsage(Effect.either(fetchPrice(harness, 1)))),
            runPendingWork
          ),
          2
        )
        yield* TestClock.adjust("1 minute")
        const usages = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        expect(usages.map(([, { waitMillis }]) => waitMillis)).toEqual([0, waited])
        expect(usages.map(([, { attempts }]) => attempts)).toEqual([1, 1])
      }
    }))

  it.effect("of coalesced calls is charged to the call that started the request, even if it is interrupted", () =>
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
      const totals = [noUsage, noUsage, noUsage]
      const fibers = yield* Effect.forEach(totals, (_, index) =>
        fetchPrice(harness, 1).pipe(
          CallUsage.observeUsage((usage) => {
            totals[index] = CallUsage.add(totals[index] ?? noUsage, usage)
          }),
          Effect.fork,
          Effect.zipLeft(runPendingWork)
        ))
      const [first] = fibers
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 minute")
      expect(totals).toEqual([{ ...noUsage, attempts: 2, cost: 2 * units }, noUsage, noUsage])
    }))

  it.effect("is zero for cache hits and excludes calls outside the region", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      yield* fetchPrice(harness, 1)
      const [, cached] = yield* CallUsage.withUsage(fetchPrice(harness, 1))
      expect(cached).toEqual(noUsage)
      const [, reloaded] = yield* Effect.zipLeft(
        CallUsage.withUsage(
          fetchPrice(harness, 1).pipe(CallOptions.withCallOptions({ cacheMode: "reload" }))
        ),
        fetchPrice(harness, 2)
      )
      expect(reloaded).toEqual({ ...noUsage, attempts: 1, cost: units })
    }))

  it.effect("of an inner region is not part of the outer region", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, minimalOptions)
      const both = Effect.all([fetchPrice(harness, 1), fetchPrice(harness, 2)], { concurrency: "unbounded" })
      const [[, inner], outer] = yield* CallUsage.withUsage(
        Effect.zipRight(fetchPrice(harness, 3), CallUsage.withUsage(both))
      )
      expect(outer).toEqual({ ...noUsage, attempts: 1, cost: units })
      expect(inner).toEqual({ ...noUsage, attempts: 2, cost: 2 * units })
    }))

  it.effect("is reported to an observer after the effect has ended", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      yield* fetchPrice(harness, 1)
      // Stale, within staleWhileRevalidate
      yield* TestClock.adjust("7 seconds")
      const increments: Array<CallUsage.CallUsage> = []
      const stale = yield* fetchPrice(harness, 1).pipe(
        CallUsage.observeUsage((usage) => increments.push(usage))
      )
      expect(stale).toMatchObject({ usdPrice: 1 })
      expect(increments).toEqual([])
      yield* runPendingWork
      expect(increments.reduce(CallUsage.add, noUsage)).toEqual({ ...noUsage, attempts: 1, cost: units })
    }))
})
