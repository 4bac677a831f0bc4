/** Tests that daily quotas and usage have the prices of responses, and the expected ones without. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { addressOf, minimalOptions } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineHarness } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

/** The price of the operation, in units. */
const expected = 50

const dailyQuota = 10_000

const rateLimit = { ...RateLimit.none, dailyQuota }

const responseWith = (header: string | null, name = "x-request-weight", status = 200) =>
  ScriptedClient.json({ usdPrice: 1.5 }, status, header === null ? {} : { [name]: header })

const harnessOf = (reply: ScriptedClient.ScriptedReply, options: TestClients.HarnessOptions = {}) =>
  engineHarness(() => reply, { ...minimalOptions, rateLimit, ...options })

type Harness = Effect.Effect.Success<ReturnType<typeof harnessOf>>

/** The units that the quota has counted. */
const consumed = ({ engine, upstream }: Harness) =>
  Effect.map(engine.dailyQuotas(upstream), ([quota]) => dailyQuota - (quota?.remaining ?? 0))

const usageOf = (harness: Harness) =>
  Effect.map(
    CallUsage.withUsage(Effect.either(harness.send(1))),
    ([, { price, priceDrift, unsettledPrice }]) => [price, unsettledPrice, priceDrift]
  )

const headers: ReadonlyArray<readonly [header: string | null, weight: number | null]> = [
  ["50", 50],
  ["0", 0],
  ["20", 20],
  ["007", 7],
  ["999999999", 999_999_999],
  [null, null],
  ["", null],
  ["-5", null],
  ["5e1", null],
  ["50.0", null],
  ["50, 50", null],
  ["0x32", null],
  ["1000000000", null]
]

describe("the price of a response", () => {
  it.effect.each(headers)(
    "is that of its header, if that is a whole number: %s",
    ([header, weight]) =>
      Effect.gen(function*() {
        const harness = yield* harnessOf(responseWith(header))
        const price = weight ?? expected
        expect(yield* usageOf(harness)).toEqual([price, weight === null ? expected : 0, price - expected])
        expect(yield* consumed(harness)).toBe(Math.min(price, dailyQuota))
      })
  )

  it.effect("counts for errors, too", () =>
    Effect.gen(function*() {
      const harness = yield* harnessOf(responseWith("1", "x-request-weight", 404))
      expect(yield* usageOf(harness)).toEqual([1, 0, -49])
    }))

  it.effect("is that of another header, if the options name it", () =>
    Effect.gen(function*() {
      const reply = responseWith("7", "x-units")
      const other = yield* harnessOf(reply, { weightHeader: "X-Units" })
      expect(yield* usageOf(other)).toEqual([7, 0, -43])
      expect(yield* usageOf(yield* harnessOf(reply))).toEqual([50, 50, 0])
    }))

  it.effect("is not read without a header in the options", () =>
    Effect.gen(function*() {
      const harness = yield* harnessOf(responseWith("7"), { weightHeader: null })
      expect(yield* usageOf(harness)).toEqual([50, 50, 0])
    }))

  it.effect("may exceed the quota, and stops the next call", () =>
    Effect.gen(function*() {
      const harness = yield* harnessOf(responseWith("10001"))
      yield* harness.send(1)
      expect(yield* consumed(harness)).toBe(dailyQuota)
      expect(yield* Effect.flip(harness.send(2))).toMatchObject({ limit: "daily" })
    }))

  it.effect("does not delay the call if the store is slow", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      const harness = yield* Effect.provideService(
        harnessOf(responseWith("7")),
        RateLimitStore.RateLimitStore,
        { ...store, refund: () => Effect.never }
      )
      expect(yield* usageOf(harness)).toEqual([7, 0, -43])
    }))

  it.effect("is settled also by a store that needs a fiber", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      const harness = yield* Effect.provideService(
        harnessOf(responseWith("7")),
        RateLimitStore.RateLimitStore,
        { ...store, refund: (...args) => Effect.zipRight(Effect.yieldNow(), store.refund(...args)) }
      )
      yield* harness.send(1)
      yield* runPendingWork
      expect(yield* consumed(harness)).toBe(7)
    }))
})

describe("expected prices", () => {
  it.effect("are per value of the parameter that the operation names", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        () => ScriptedClient.json({ address: addressOf(1), active_chains: [] }),
        minimalOptions
      )
      const call = harness.data.walletChains({ address: addressOf(1), chains: ["eth", "base", "polygon"] })
      expect((yield* CallUsage.withUsage(call))[1].price).toBe(3 * expected)
    }))

  it.effect("are those of the policy, by operation or for all", () =>
    Effect.gen(function*() {
      for (const price of [7, { tokenPrice: 7 }]) {
        const harness = yield* harnessOf(responseWith(null), { rateLimit: { ...rateLimit, price } })
        expect(yield* usageOf(harness)).toEqual([7, 7, 0])
      }
    }))

  it.effect("and prices of responses together are what the quota counts", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(FastCheck.option(FastCheck.nat(200)), { maxLength: 20 }),
          (weights) =>
            Effect.gen(function*() {
              let index = 0
              const harness = yield* engineHarness(
                () => responseWith(weights[index++]?.toString() ?? null),
                { ...minimalOptions, rateLimit }
              )
              yield* Effect.forEach(weights, (_, number) => harness.send(number + 1))
              const sum = weights.reduce<number>((total, weight) => total + (weight ?? expected), 0)
              expect(yield* consumed(harness)).toBe(sum)
            }).pipe(Effect.scoped, Effect.runPromise)
        )
      )
    ))
})
