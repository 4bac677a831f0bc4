/** Tests that daily quotas and usage have the prices of responses, and the expected ones without. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { minimalOptions } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import type { HarnessOptions } from "../../support/TestClients.ts"
import { type EngineHarness, engineHarness } from "../../support/TestEngine.ts"
import { runPendingWork } from "../../support/TestTime.ts"

/** The price of the operation, in units. */
const expected = 50

const dailyQuota = 10_000

const rateLimit = { ...RateLimit.none, dailyQuota }

const responseWith = (header: string | null, name = "x-request-weight", status = 200) =>
  ScriptedClient.json({ usdPrice: 1.5 }, status, header === null ? {} : { [name]: header })

const harnessOf = (reply: ScriptedClient.ScriptedReply, options: HarnessOptions = {}) =>
  engineHarness(() => reply, { ...minimalOptions, rateLimit, ...options })

/** The units that the quota has counted. */
const consumed = ({ dailyQuotas }: EngineHarness) =>
  Effect.map(dailyQuotas, ([quota]) => dailyQuota - (quota?.remaining ?? 0))

const headers: ReadonlyArray<readonly [header: string | null, price: number | null]> = [
  ["50", 50],
  ["0", 0],
  ["007", 7],
  ["999999999", 999_999_999],
  ...[null, "", "-5", "5e1", "50.0", "50, 50", "0x32", "1000000000"].map((header) => [header, null] as const)
]

const responses: ReadonlyArray<
  readonly [
    reply: ScriptedClient.ScriptedReply,
    price: number | null,
    options?: HarnessOptions,
    price?: number
  ]
> = [
  ...headers.map(([header, price]) => [responseWith(header), price] as const),
  [responseWith("1", "x-request-weight", 404), 1],
  [responseWith("7", "x-units"), 7, { weightHeader: "X-Units" }],
  [responseWith("7", "x-units"), null],
  [responseWith("7"), null, { weightHeader: null }],
  [responseWith(null), null, { rateLimit: { ...rateLimit, price: 7 } }, 7],
  [responseWith(null), null, { rateLimit: { ...rateLimit, price: { tokenPrice: 7 } } }, 7]
]

it.effect("the price is that of the header that the options name, if it is a whole number, or else the expected one", () =>
  Effect.gen(function*() {
    for (const [reply, header, options, ofPolicy = expected] of responses) {
      const harness = yield* harnessOf(reply, options)
      const [, usage] = yield* CallUsage.withUsage(harness.send(1))
      const price = header ?? ofPolicy
      expect(usage).toMatchObject({
        price,
        unsettledPrice: header === null ? price : 0,
        priceDrift: price - ofPolicy
      })
      expect(yield* consumed(harness)).toBe(Math.min(price, dailyQuota))
    }
  }))

it.effect.prop(
  "a quota counts the prices of responses together with expected ones, up to the first call that exceeds it",
  { prices: FastCheck.array(FastCheck.option(FastCheck.nat(5000)), { maxLength: 20 }) },
  ({ prices }) =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      const harness = yield* Effect.provideService(
        engineHarness((_, number) => responseWith(prices[number - 1]?.toString() ?? null), {
          ...minimalOptions,
          rateLimit
        }),
        RateLimitStore.RateLimitStore,
        // Settled also by a store that needs a fiber
        { ...store, refund: (...args) => Effect.zipRight(Effect.yieldNow(), store.refund(...args)) }
      )
      let sum = 0
      for (const [index, price] of prices.entries()) {
        const result = yield* Effect.either(harness.send(index + 1))
        if (sum + expected > dailyQuota) {
          expect(result).toMatchObject({ left: { limit: "daily" } })
          break
        }
        sum += price ?? expected
        yield* runPendingWork
        expect(yield* consumed(harness)).toBe(Math.min(sum, dailyQuota))
      }
    })
)
