/** Tests calls that are rejected immediately, because the queue is full or the wait would be too long. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { failureOfFinished } from "../../../support/Failures.ts"
import {
  addressOf,
  callNumberOf,
  forkPrices,
  minimalOptions,
  priceReply,
  sentAtSeconds
} from "../../../support/PriceCalls.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

/** One request per ten seconds. */
const slowReply = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" })

const localLimitError = (
  limit: "rate" | "concurrency",
  retryAfter: Duration.DurationInput | null
) => ({
  _tag: "LocalLimitError",
  limit,
  retryAfter: retryAfter === null ? null : Duration.decode(retryAfter)
})

describe("maxQueue", () => {
  it.effect("has room again after a call was sent or interrupted", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        rateLimit: { ...slowReply, maxQueue: 2 }
      })
      const [, first] = yield* forkPrices(harness, [0, 1, 2])
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* forkPrices(harness, [3])
      expect(yield* failureOfFinished((yield* forkPrices(harness, [4])).at(0))).toMatchObject({
        limit: "rate"
      })
      yield* TestClock.adjust("10 seconds")
      yield* forkPrices(harness, [5])
      yield* TestClock.adjust("1 hour")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 2, 3, 5])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 10, 20, 30])
    }))
})

describe("maxWait", () => {
  it.effect("depends on the cost of the queued calls, not on their number", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 1, walletChains: 6 }
      const rateLimit = { ...slowReply, burst: 6, cost, maxWait: "75 seconds" } as const
      const harness = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit })
      const expensive = (number: number) => harness.data.walletChains({ address: addressOf(number) })
      yield* Effect.ignore(expensive(0))
      yield* Effect.fork(expensive(1))
      yield* runPendingWork
      const fibers = yield* forkPrices(harness, [2, 3])
      expect(yield* failureOfFinished(fibers[1])).toMatchObject(localLimitError("rate", "80 seconds"))
      yield* TestClock.adjust("1 hour")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 60, 70])
    }))
})

describe("the deadline of a call", () => {
  it.effect("does not affect the wait of other calls", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(() => priceReply, {
        long: { ...minimalOptions, baseUrl: "https://here.test", rateLimit: slowReply },
        short: {
          ...minimalOptions,
          baseUrl: "https://here.test",
          rateLimit: slowReply,
          timeouts: { attempt: "5 seconds", call: "15 seconds" }
        }
      })
      yield* forkPrices(clients.long, [0, 1])
      const [rejectedFiber] = yield* forkPrices(clients.short, [2])
      expect(yield* failureOfFinished(rejectedFiber)).toMatchObject(localLimitError("rate", "20 seconds"))
      yield* forkPrices(clients.long, [3])
      yield* TestClock.adjust("1 hour")
      expect(requests.map(callNumberOf)).toEqual([0, 1, 3])
      expect(sentAtSeconds(requests)).toEqual([0, 10, 20])
    }))
})
