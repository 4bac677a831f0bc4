/** Tests the regions of usage. The timelines show the usage of calls, `DecodedResponse` unreadable fields. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { numberedPrice } from "./support/CacheFixtures.ts"
import { fetchPrice, minimalOptions } from "./support/PriceCalls.ts"
import * as TestClients from "./support/TestClients.ts"

const noUsage = CallUsage.none

/** The costs of a price, in units. */
const units = 3
const price = 50

describe("call usage", () => {
  it.effect("of an inner region is not part of the outer region", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, minimalOptions)
      const both = Effect.all([fetchPrice(harness, 1), fetchPrice(harness, 2)], { concurrency: "unbounded" })
      const [[, inner], outer] = yield* CallUsage.withUsage(
        Effect.zipRight(fetchPrice(harness, 3), CallUsage.withUsage(both))
      )
      expect(outer).toEqual({ ...noUsage, attempts: 1, cost: units, price, unsettledPrice: price })
      expect(inner).toEqual({
        ...noUsage,
        attempts: 2,
        cost: 2 * units,
        price: 2 * price,
        unsettledPrice: 2 * price
      })
    }))
})
