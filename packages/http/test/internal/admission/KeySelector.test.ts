/** Tests several keys at one base URL: cooldowns, failover, their limits and quotas, and that none appears anywhere. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice, withInspectableStore } from "../../support/CacheFixtures.ts"
import { failureOf, failureOfFinished, immediateFailureOf } from "../../support/Failures.ts"
import {
  addressOf,
  fetchPrice,
  forkPrices,
  indices,
  minimalOptions,
  priceReply,
  sentAtSeconds,
  throttledReply
} from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness, keysOf, labelOf, secretOf } from "../../support/TestEngine.ts"
import { runPendingWork, whileTimePasses } from "../../support/TestTime.ts"

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

const limits = (options: Partial<RateLimit.RateLimit>) => ({
  ...RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" }),
  ...options
})

const keyWithLimit = (all: Readonly<Record<string, RateLimit.RateLimit | undefined>>) =>
  Object.entries(all).map(([label, rateLimit]) => ({ label, key: Redacted.make(secretOf(label)), rateLimit }))

const countByKey = (requests: ReadonlyArray<ScriptedClient.RecordedRequest>) =>
  Object.fromEntries(
    [...new Set(requests.map(labelOf))].toSorted().map((label) => [
      label,
      requests.filter((request) => labelOf(request) === label).length
    ])
  )

describe("the rate limit of a key", () => {
  it.effect("defaults to that of the API, and all keys are used", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        rateLimit: limits({ burst: 2 }),
        apiKey: keyWithLimit({ a: undefined, b: limits({ burst: 5 }) })
      })
      yield* forkPrices(harness, indices(7))
      expect(countByKey(harness.requests)).toEqual({ a: 2, b: 5 })
      expect(new Set(sentAtSeconds(harness.requests))).toEqual(new Set([0]))
    }))

  it.effect("does not delay a call while another key is available", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ slow: limits({}), quick: RateLimit.none })
      })
      yield* forkPrices(harness, indices(20))
      expect(countByKey(harness.requests)).toEqual({ quick: 19, slow: 1 })
      expect(new Set(sentAtSeconds(harness.requests))).toEqual(new Set([0]))
    }))

  it.effect("delays a call if all keys are used up, in the shortest queue", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: limits({}), b: limits({ limit: 3 }) })
      })
      const fibers = yield* forkPrices(harness, indices(10))
      yield* TestClock.adjust("1 minute")
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(countByKey(harness.requests)).toEqual({ a: 3, b: 7 })
      expect(sentAtSeconds(harness.requests).at(-1)).toBeLessThan(20.01)
    }))

  it.effect("rejects a call only if the wait would be too long for every key", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: limits({ maxWait: 0 }), b: limits({ limit: 0.5, maxWait: "25 seconds" }) })
      })
      const fibers = yield* forkPrices(harness, indices(4))
      expect(yield* failureOfFinished(fibers[3])).toMatchObject({
        _tag: "LocalLimitError",
        limit: "rate"
      })
      yield* TestClock.adjust("1 minute")
      expect(countByKey(harness.requests)).toEqual({ a: 1, b: 2 })
      expect(sentAtSeconds(harness.requests)).toEqual([0, 0, 20])
    }))

  it.effect("is charged for each key that an attempt uses", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests) => labelOf(requests) === "a" ? throttledReply("1") : priceReply,
        { ...minimalOptions, rateLimit: limits({ burst: 2 }), apiKey: keysOf("a", "b") }
      )
      yield* fetchPrice(harness, 1)
      yield* fetchPrice(harness, 2)
      yield* forkPrices(harness, [3])
      expect(countByKey(harness.requests)).toEqual({ a: 1, b: 2 })
      yield* TestClock.adjust("1 minute")
      // The rate limit of the key in cooldown is not exhausted.
      expect(harness.requests.slice(3).map((request) => [labelOf(request), request.at])).toEqual([[
        "b",
        10_000
      ]])
    }))
})

describe("the daily quota of a key", () => {
  /** No rate limit, but a daily quota. */
  const daily = (dailyQuota: number) => ({ ...RateLimit.none, cost: 1, dailyQuota })

  it.effect("that is exhausted for one key does not prevent waiting for another", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: daily(1), b: limits({}) })
      })
      yield* forkPrices(harness, indices(4))
      yield* TestClock.adjust("1 minute")
      expect(harness.requests.map(labelOf)).toEqual(["a", "b", "b", "b"])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 0, 10, 20])
    }))

  it.effect("that is exhausted leaves the trial to another key", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 3, walletChains: 1 }
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("1") : priceReply,
        { ...minimalOptions, rateLimit: { ...RateLimit.none, cost, dailyQuota: 5, maxWait: "1 day" } }
      )
      yield* Effect.ignore(fetchPrice(harness, 1))
      yield* TestClock.adjust(1000)
      // It would be the trial, but its daily quota is exhausted.
      expect(yield* immediateFailureOf(fetchPrice(harness, 2))).toMatchObject({ limit: "daily" })
      yield* Effect.ignore(harness.data.walletChains({ address: addressOf(1) }))
      expect(sentAtSeconds(harness.requests)).toEqual([0, 1])
    }))
})

const labels = ["one", "two", "three"]

/** Every reply contains the key. */
const echoingReply = (status: number): ScriptedClient.Script => (requests) => {
  const secret = requests.headers["x-api-key"] ?? ""
  return ScriptedClient.json({ message: `the key ${secret} is wrong`, result: secret }, status, {
    etag: `"${secret}"`
  })
}

describe("API keys", () => {
  it.effect("appear in no error, log line, span, metric or report", () =>
    Effect.gen(function*() {
      const recorder = TelemetryRecorder.make()
      for (const status of [200, 400, 401, 402, 403, 404, 429, 500]) {
        const harness = yield* engineHarness(echoingReply(status), {
          ...minimalOptions,
          apiKey: keysOf(...labels)
        })
        const clients = yield* TestClients.harness(echoingReply(status), {
          ...minimalOptions,
          apiKey: keysOf(...labels)
        })
        const exits = yield* recorder.record(
          Effect.forEach(indices(4), (number) => Effect.exit(whileTimePasses(fetchPrice(clients, number))))
        )
        const served = yield* recorder.record(Effect.exit(whileTimePasses(harness.send(1))))
        const report = yield* harness.engine.health
        const rendered = [
          ...exits.flatMap((exit) => [
            TelemetryRecorder.inspectDeep(exit),
            ...Exit.isSuccess(exit) ? [] : [
              Cause.pretty(exit.cause, { renderErrorCause: true }),
              ...[...Cause.failures(exit.cause)].map((error) =>
                `${error.message} ${JSON.stringify(Schema.encodeSync(ListOperationError)(error))}`
              )
            ]
          ]),
          ...Exit.isSuccess(served)
            ? [
              // A complete response is returned unchanged.
              status === 200 ? "" : TelemetryRecorder.inspectDeep(served.value.classification()),
              TelemetryRecorder.inspectDeep(served.value.response.headers)
            ]
            : [TelemetryRecorder.inspectDeep(served)],
          TelemetryRecorder.inspectDeep(report),
          JSON.stringify(report),
          TelemetryRecorder.inspectDeep(harness.upstream),
          JSON.stringify(harness.upstream)
        ]
        for (const text of rendered) {
          for (const label of labels) expect(text).not.toContain(secretOf(label))
        }
      }
      const lines = recorder.logs.map(({ structure, text }) =>
        `${text} ${TelemetryRecorder.inspectDeep(structure)}`
      ).join("\n")
      const exposed = `${lines} ${TelemetryRecorder.inspectDeep(recorder.spans)} ${
        TelemetryRecorder.inspectDeep(yield* Metric.snapshot)
      }`
      for (const label of labels) expect(exposed).not.toContain(secretOf(label))
      // People can tell the keys apart all the same.
      for (const label of labels) expect(lines).toMatch(new RegExp(`key=${label}\\b`))
      expect(lines).toContain("key cooldown started")
    }))

  it.effect("appear in no cache entry: a response that contains any of them is not cached", () =>
    Effect.gen(function*() {
      const document = (secret: string) => ({ usdPrice: 1, tokenName: secret })
      for (const label of labels) {
        const [harness, entries] = yield* withInspectableStore(
          TestClients.harness(() => ScriptedClient.json(document(secretOf(label))), {
            ...cachingOptions,
            apiKey: keysOf(...labels)
          })
        )
        yield* fetchPrice(harness, 1)
        expect(entries.size).toBe(0)
      }
      const [harness, entries] = yield* withInspectableStore(
        TestClients.harness(() => ScriptedClient.json(document(secretOf("other"))), {
          ...cachingOptions,
          apiKey: keysOf(...labels)
        })
      )
      yield* fetchPrice(harness, 1)
      expect([...entries.keys()].join()).not.toMatch(/CANARY/)
      expect(entries.size).toBe(1)
    }))
})
