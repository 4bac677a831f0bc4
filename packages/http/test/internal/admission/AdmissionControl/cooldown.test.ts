/** Tests the cooldown after a 429, which applies to all calls with the same API key and base URL. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import {
  callNumberOf,
  forkPrices,
  indices,
  minimalOptions,
  priceReply,
  sentAtSeconds,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

/** No call is rejected because of its wait. */
const longWaitLimit = { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

describe("a cooldown", () => {
  it.effect("applies to all calls with the API key at the base URL, and to no other", () =>
    Effect.gen(function*() {
      const here = { ...longWaitLimit, baseUrl: "https://here.test" }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (_, number) => number === 1 ? throttledReply("5") : priceReply,
        {
          here,
          same: here,
          otherKey: { ...here, apiKey: Redacted.make("other") },
          there: { ...longWaitLimit, baseUrl: "https://there.test" }
        }
      )
      yield* forkPrices(clients.here, [0])
      yield* forkPrices(clients.here, [1])
      yield* forkPrices(clients.same, [2])
      yield* forkPrices(clients.otherKey, [3])
      yield* forkPrices(clients.there, [4])
      expect(requests.map(callNumberOf)).toEqual([0, 3, 4])
      yield* TestClock.adjust(4999)
      expect(requests).toHaveLength(3)
      yield* TestClock.adjust(1)
      expect(requests.map(callNumberOf)).toEqual([0, 3, 4, 1])
      yield* TestClock.adjust(50)
      expect(requests.map(callNumberOf)).toEqual([0, 3, 4, 1, 2])
    }))

  it.effect("ends with one trial while all others wait, and then admits all", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1 ? throttledReply("5") : ScriptedClient.delayed("1 second", priceReply)
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(50))
      yield* TestClock.adjust(5999)
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1])
      yield* TestClock.adjust(51)
      expect(harness.requests.map(callNumberOf)).toEqual(indices(50))
      expect(sentAtSeconds(harness.requests).slice(0, 2)).toEqual([0, 5])
    }))

  it.effect("does not restore the rate limit: earlier units still count", () =>
    Effect.gen(function*() {
      const rateLimit = {
        limit: 1,
        window: "10 seconds",
        burst: 1,
        cost: 1,
        maxWait: "1 day",
        maxQueue: 9,
        dailyQuota: null
      } as const
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("2") : priceReply,
        { ...minimalOptions, rateLimit }
      )
      yield* forkPrices(harness, [0, 1, 2])
      yield* TestClock.adjust("1 minute")
      expect(sentAtSeconds(harness.requests)).toEqual([0, 10, 20])
    }))
})
