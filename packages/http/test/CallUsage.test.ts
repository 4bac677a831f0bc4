/** Tests the regions of usage, and unreadable fields. The timelines show the usage of calls. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { cachingOptions, numberedPrice } from "./support/CacheFixtures.ts"
import { fetchPrice, minimalOptions } from "./support/PriceCalls.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

const noUsage = CallUsage.none

/** The units of a price. */
const units = 3

describe("call usage", () => {
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
})
