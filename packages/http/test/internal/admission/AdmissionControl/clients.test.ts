/** Tests the shares of a gateway's clients in the rate limit of a key, and early rejections. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  client,
  type Demand,
  retryAfterOf,
  runLoad,
  succeeded,
  waitOf
} from "../../../support/ClientCalls.ts"
import {
  fetchPrice,
  indices,
  minimalOptions,
  priceReply,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineHarness } from "../../../support/TestEngine.ts"

/** 4 calls per second, each with a cost of 10 units. */
const fourPerSecond = RateLimit.make({
  limit: 40,
  window: "1 second",
  burst: 10,
  cost: 10,
  maxWait: "5 seconds"
})

describe("demand beyond the rate limit of a key", () => {
  const light = client("light", 1)
  const heavy = client("heavy", 3)
  const third = client("third", 1)

  it.effect.each<{ readonly demands: ReadonlyArray<Demand>; readonly shares: ReadonlyArray<number> }>([
    { demands: [{ client: light, calls: 2 }, { client: heavy, calls: 2 }], shares: [1 / 4, 3 / 4] },
    { demands: [{ client: light, calls: 10 }, { client: heavy, calls: 2 }], shares: [1 / 4, 3 / 4] },
    {
      demands: [{ client: light, calls: 2 }, { client: third, calls: 6 }, { client: heavy, calls: 2 }],
      shares: [1 / 5, 1 / 5, 3 / 5]
    }
  ])(
    "serves the clients by weight, and rejects the rest early with the time to wait",
    ({ demands, shares }) =>
      Effect.gen(function*() {
        const harness = yield* engineHarness(() => priceReply, {
          ...minimalOptions,
          rateLimit: fourPerSecond
        })
        const seconds = 20
        const ended = yield* runLoad(harness, demands, seconds)
        for (const [index, { client: caller }] of demands.entries()) {
          const expected = (shares[index] ?? 0) * 4 * seconds
          // The queue of up to 5 s is served after the load.
          expect(succeeded(ended, caller)).toBeGreaterThanOrEqual(expected * 0.9)
          expect(succeeded(ended, caller)).toBeLessThanOrEqual(expected * (1 + 5 / seconds) * 1.1)
        }
        for (const call of ended) expect(waitOf(call)).toBeLessThanOrEqual(5000)
        const failed = ended.filter(({ error }) => error !== null)
        for (const call of failed) {
          expect(call.error).toMatchObject({ _tag: "LocalLimitError", limit: "rate" })
          expect(retryAfterOf(call)).toBeGreaterThan(waitOf(call) === 0 ? 5000 : 0)
        }
        // Few wait in vain, because later calls of other clients come first. At the start, the queues are short.
        const steady = failed.filter(({ startedAt }) => startedAt >= 10_000)
        expect(steady.filter((call) => waitOf(call) > 0).length).toBeLessThanOrEqual(steady.length / 5)
      })
  )

  it.effect("does not delay a client with less demand than its share", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(() => priceReply, { ...minimalOptions, rateLimit: fourPerSecond })
      const ended = yield* runLoad(harness, [{ client: heavy, calls: 1 }, { client: light, calls: 10 }], 20)
      const own = ended.filter((call) => call.client === heavy.name)
      expect(own.filter(({ error }) => error !== null)).toEqual([])
      // At most one call of the other client is served first.
      expect(Math.max(...own.map(waitOf))).toBeLessThanOrEqual(500)
    }))
})

describe("an upstream that responds with 429 without Retry-After", () => {
  it.effect("causes early errors with the time to wait, and then serves the clients by weight", () =>
    Effect.gen(function*() {
      const [light, heavy] = [client("light", 1), client("heavy", 3)]
      const harness = yield* engineHarness(({ at }) => at < 8000 ? throttledReply() : priceReply, {
        ...minimalOptions,
        rateLimit: fourPerSecond,
        retry: { ...RetryPolicy.standard, attempts: 2 }
      })
      const ended = yield* runLoad(harness, [{ client: light, calls: 2 }, { client: heavy, calls: 2 }], 40)
      for (const call of ended) {
        // Two attempts, each of which waits for at most 5 s.
        expect(waitOf(call)).toBeLessThanOrEqual(10_000)
        if (call.status === 200) continue
        if (call.error === null) expect(call.status).toBe(429)
        else {
          expect(["LocalLimitError", "RateLimitError"]).toContain(call.error._tag)
          expect(retryAfterOf(call)).toBeGreaterThan(0)
        }
      }
      const during = ended.filter(({ startedAt }) => startedAt < 8000)
      // Few trials reach the upstream, so most calls are rejected without an attempt.
      expect(harness.requests.filter(({ at }) => at < 8000).length).toBeLessThanOrEqual(6)
      expect(during.filter(({ error }) => error !== null).length).toBeGreaterThanOrEqual(during.length / 3)
      const after = ended.filter(({ startedAt }) => startedAt >= 16_000)
      expect(succeeded(after, heavy) / succeeded(after, light)).toBeGreaterThan(2.5)
      expect(succeeded(after, heavy) / succeeded(after, light)).toBeLessThan(3.5)
    }))
})

describe("the daily quota of a key", () => {
  const quota = { ...RateLimit.none, cost: 1, dailyQuota: 10 }

  it.effect("counts once for all base URLs", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(() => priceReply, {
        here: { ...minimalOptions, baseUrl: "https://here.test", rateLimit: quota },
        there: { ...minimalOptions, baseUrl: "https://there.test", rateLimit: quota },
        otherKey: {
          ...minimalOptions,
          baseUrl: "https://there.test",
          rateLimit: quota,
          apiKey: Redacted.make("other")
        }
      })
      for (const number of indices(6)) yield* fetchPrice(clients.here, number)
      for (const number of indices(10)) yield* Effect.ignore(fetchPrice(clients.there, number))
      expect(requests).toHaveLength(10)
      for (const number of indices(11)) yield* Effect.ignore(fetchPrice(clients.otherKey, number))
      expect(requests).toHaveLength(20)
    }))
})
