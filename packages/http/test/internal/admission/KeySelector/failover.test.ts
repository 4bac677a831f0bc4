/** Tests several keys at one base URL: their order, cooldowns, and failover. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice } from "../../../support/CacheFixtures.ts"
import { failureOf } from "../../../support/Failures.ts"
import {
  fetchPrice,
  forkPrices,
  indices,
  minimalOptions,
  priceReply,
  sentAtSeconds,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { keysOf, labelOf } from "../../../support/TestEngine.ts"
import { runPendingWork, whileTimePasses } from "../../../support/TestTime.ts"

/** Replies by the label of the key. */
const replyByKey =
  (replies: Readonly<Record<string, ScriptedClient.ScriptedReply>>): ScriptedClient.Script => (requests) =>
    replies[labelOf(requests)] ?? priceReply

const rejectedReply = ScriptedClient.respond(401, JSON.stringify({ message: "no such key" }))

const withKeys = (...labels: ReadonlyArray<string>) => ({ ...minimalOptions, apiKey: keysOf(...labels) })

describe("keys", () => {
  it.effect("that the upstream rejects are logged as an error, also the last one, and missing permissions are not", () =>
    Effect.gen(function*() {
      for (const [status, levels] of [[401, ["Error", "Error"]], [403, ["Warning", "Info"]]] as const) {
        const logged: Array<string> = []
        const logger = Logger.make(({ logLevel, message }) => {
          if (String(message).includes("key")) logged.push(logLevel._tag)
        })
        const harness = yield* TestClients.harness(() => ScriptedClient.respond(status), withKeys("a", "b"))
        yield* Effect.provide(
          Effect.ignore(fetchPrice(harness, 1)),
          Logger.replace(Logger.defaultLogger, logger)
        )
        expect([status, logged]).toEqual([status, levels])
      }
    }))

  it.effect("share requests in flight only between calls with the same set of keys", () =>
    Effect.gen(function*() {
      const options = { ...cachingOptions, apiKey: keysOf("a", "b", "c"), baseUrl: "https://here.test" }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (requests, number) => ScriptedClient.delayed("1 second", numberedPrice(requests, number)),
        {
          one: options,
          same: { ...options, apiKey: keysOf("c", "a", "b") },
          fewer: { ...options, apiKey: keysOf("a") }
        }
      )
      const fork = (client: TestClients.Clients) =>
        Effect.zipLeft(Effect.fork(fetchPrice(client, 1)), runPendingWork)
      const fibers = yield* Effect.forEach([clients.one, clients.one, clients.same, clients.fewer], fork)
      yield* TestClock.adjust("1 second")
      const prices = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(prices.map(({ usdPrice }) => usdPrice)).toEqual([1, 1, 1, 2])
      expect(requests).toHaveLength(2)
    }))
})

describe("a key that is rejected", () => {
  it.effect("is not replaced if the store is unavailable", () =>
    Effect.gen(function*() {
      let acquired = 0
      const harness = yield* TestClients.harness(() => priceReply, withKeys("a", "b")).pipe(
        Effect.provideService(RateLimitStore.RateLimitStore, {
          ...(yield* RateLimitStore.memory),
          acquire: () =>
            Effect.suspend(() => {
              acquired += 1
              return new StoreError({ reason: "refused" })
            })
        })
      )
      const failure = yield* failureOf(fetchPrice(harness, 1))
      expect([failure, acquired]).toMatchObject([{ _tag: "LocalLimitError", limit: "unavailable" }, 1])
    }))

  it.effect("is not replaced after errors that do not depend on the key", () =>
    Effect.gen(function*() {
      for (const status of [400, 404, 408, 422, 500, 502, 503]) {
        const harness = yield* TestClients.harness(() => ScriptedClient.respond(status), withKeys("a", "b"))
        yield* Effect.ignore(fetchPrice(harness, 1))
        expect(harness.requests).toHaveLength(1)
      }
    }))

  it.effect("has a cooldown of 1 s, which doubles each time, up to a minute", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(replyByKey({ a: rejectedReply }), withKeys("a", "b"))
      // One call every half second.
      for (const number of indices(500)) {
        yield* fetchPrice(harness, number)
        yield* TestClock.adjust(500)
      }
      const triedKeys = sentAtSeconds(harness.requests.filter((requests) => labelOf(requests) === "a"))
      const waits = triedKeys.slice(1).map((at, index) => at - (triedKeys[index] ?? 0))
      // After a cooldown the key is used by one of the next two calls.
      const cooldowns = [1, 2, 4, 8, 16, 32, 60, 60]
      expect(
        waits.slice(0, cooldowns.length).map((wait, index) => wait - (cooldowns[index] ?? 0)).every((delay) =>
          delay >= 0 && delay <= 0.5
        )
      ).toBe(true)
    }))

  it.effect("starts again with a cooldown of 1 s after a success", () =>
    Effect.gen(function*() {
      let works = false
      const harness = yield* TestClients.harness(
        (requests) => labelOf(requests) === "a" && !works ? rejectedReply : priceReply,
        withKeys("a", "b")
      )
      const call = (times: number) => Effect.forEach(indices(times), (number) => fetchPrice(harness, number))
      yield* call(1)
      yield* TestClock.adjust(1000)
      yield* call(2)
      yield* TestClock.adjust(2000)
      works = true
      yield* call(2)
      works = false
      const before = harness.requests.length
      yield* call(2)
      yield* TestClock.adjust(999)
      yield* call(2)
      expect(harness.requests.slice(before).filter((requests) => labelOf(requests) === "a")).toHaveLength(1)
      yield* TestClock.adjust(1)
      yield* call(2)
      expect(harness.requests.slice(before).filter((requests) => labelOf(requests) === "a")).toHaveLength(2)
    }))

  it.effect("gets one cooldown for concurrent rejections", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests) =>
          ScriptedClient.delayed("100 millis", labelOf(requests) === "a" ? rejectedReply : priceReply),
        withKeys("a", "b")
      )
      yield* forkPrices(harness, indices(20))
      yield* TestClock.adjust(200)
      const before = harness.requests.length
      expect(before).toBe(30)
      yield* TestClock.adjust(899)
      yield* forkPrices(harness, indices(2))
      expect(harness.requests.slice(before).map(labelOf)).toEqual(["b", "b"])
      yield* TestClock.adjust(1)
      yield* forkPrices(harness, indices(2))
      expect(harness.requests.slice(before + 2).map(labelOf)).toContain("a")
    }))
})

describe("a key that is throttled", () => {
  it.effect.each(["61", "3600"])(
    "has a cooldown of at most a minute: %s",
    (header) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          replyByKey({ a: throttledReply(header) }),
          withKeys("a", "b")
        )
        yield* fetchPrice(harness, 1)
        yield* TestClock.adjust("59 seconds")
        yield* fetchPrice(harness, 2)
        yield* fetchPrice(harness, 3)
        expect(harness.requests.map(labelOf)).toEqual(["a", "b", "b", "b"])
        yield* TestClock.adjust("1 second")
        yield* fetchPrice(harness, 4)
        yield* fetchPrice(harness, 5)
        expect(harness.requests.slice(4).map(labelOf)).toContain("a")
      })
  )
})

describe("with several keys", () => {
  const bad = FastCheck.constantFrom(401, 402, 403, 407, 424)

  it.effect.prop(
    "no call fails while one key works, and no attempt uses a key twice",
    {
      keys: FastCheck.array(FastCheck.option(bad), { minLength: 1, maxLength: 6 }),
      works: FastCheck.nat(),
      steps: FastCheck.array(
        FastCheck.record({ calls: FastCheck.integer({ min: 1, max: 4 }), after: FastCheck.nat(5000) }),
        { minLength: 1, maxLength: 12 }
      )
    },
    ({ keys, steps, works }) =>
      Effect.gen(function*() {
        const labels = keys.map((_, index) => `key${index}`)
        const good = `key${works % keys.length}`
        const harness = yield* TestClients.harness((requests) => {
          const label = labelOf(requests)
          const status = label === good ? null : keys[labels.indexOf(label)] ?? null
          return ScriptedClient.delayed(
            "10 millis",
            status === null ? priceReply : ScriptedClient.respond(status)
          )
        }, withKeys(...labels))
        for (const { after, calls } of steps) {
          const fibers = yield* forkPrices(harness, indices(calls))
          yield* TestClock.adjust(100)
          for (const fiber of fibers) expect(Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
          yield* TestClock.adjust(after)
        }
        const calls = steps.reduce((sum, step) => sum + step.calls, 0)
        expect(harness.requests.length).toBeLessThanOrEqual(calls * keys.length)
      })
  )

  it.effect.prop(
    "calls succeed although keys are rejected, exhausted or throttled now and then",
    {
      faults: FastCheck.array(FastCheck.constantFrom(200, 401, 402, 403, 429, 429), {
        minLength: 1,
        maxLength: 20
      }),
      pauses: FastCheck.array(FastCheck.boolean(), { maxLength: 10 }),
      keys: FastCheck.integer({ min: 1, max: 4 })
    },
    ({ faults, keys, pauses }) =>
      Effect.gen(function*() {
        const labels = indices(keys).map((index) => `key${index}`)
        const counts = { good: 0, others: 0 }
        // One key works, but is throttled now and then.
        const harness = yield* TestClients.harness((requests) => {
          if (labelOf(requests) === "good") {
            return pauses[counts.good++] === true
              ? throttledReply("2")
              : priceReply
          }
          const fault = faults[counts.others++ % faults.length] ?? 200
          return fault === 200
            ? priceReply
            : fault === 429
            ? throttledReply("2")
            : ScriptedClient.respond(fault)
        }, {
          ...withKeys(...labels, "good"),
          rateLimit: { ...minimalOptions.rateLimit, maxWait: "1 day" },
          retry: { ...TestClients.immediateRetries(100), budget: { capacity: 1e9, refill: 0 } }
        })
        for (const number of indices(8)) yield* whileTimePasses(fetchPrice(harness, number), "5 minutes")
        expect(harness.requests.length).toBeGreaterThanOrEqual(8)
      })
  )
})
