/** Tests a cooldown while the store fails. The timelines show which calls a cooldown delays or fails, and its trial. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { immediateFailureOf } from "../../../support/Failures.ts"
import {
  callNumberOf,
  fetchPrice,
  forkPrices,
  minimalOptions,
  priceReply,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as TestClients from "../../../support/TestClients.ts"

it.effect("a trial that the daily quota does not admit, because the store fails, is followed by another one at once", () =>
  Effect.gen(function*() {
    const store = yield* RateLimitStore.memory
    let isAvailable = true
    const harness = yield* TestClients.harness(
      (_, number) => number === 1 ? throttledReply("5") : priceReply,
      { ...minimalOptions, rateLimit: { ...RateLimit.none, dailyQuota: 100 } }
    ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, {
      ...store,
      consume: (...args) =>
        Effect.suspend(() => isAvailable ? store.consume(...args) : new StoreError({ reason: "refused" }))
    }))
    yield* forkPrices(harness, [0])
    yield* TestClock.adjust("5 seconds")
    isAvailable = false
    expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject({
      _tag: "LocalLimitError",
      limit: "unavailable"
    })
    isAvailable = true
    yield* forkPrices(harness, [2])
    expect(harness.requests.map(callNumberOf)).toEqual([0, 2])
  }))
