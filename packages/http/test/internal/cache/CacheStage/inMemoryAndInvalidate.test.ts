/** Tests synchronous cache reads, and invalidation. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice, withInspectableStore } from "../../../support/CacheFixtures.ts"
import { increaseOf, withLabels } from "../../../support/MetricReader.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { type EngineHarness, engineHarness, requestOf } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const delayedPrice: ScriptedClient.Script = (requests, number) =>
  ScriptedClient.delayed("1 second", numberedPrice(requests, number))

/** With a deadline, a request continues even if no caller waits for it. */
const limitedTimeouts = { ...cachingOptions, timeouts: { attempt: "10 seconds", call: "1 minute" } } as const

const priceOf = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

/** Returns the price of token 1. */
const fetchPriceOf = ({ send }: EngineHarness) =>
  Effect.map(send(1), ({ response }) => priceOf(response.bytes))

const first = { usdPrice: 1 }
const second = { usdPrice: 2 }

describe("lookUp", () => {
  it.effect("returns an entry synchronously while it is fresh", () =>
    Effect.gen(function*() {
      const { lookUp, send } = yield* engineHarness(numberedPrice, cachingOptions)
      expect(lookUp(1, 0)._tag).toBe("Miss")
      yield* send(1)
      const found = lookUp(1, 4999)
      if (found._tag === "Miss") return expect.fail("there is an entry")
      expect(found.response).toMatchObject({ storedAt: 0, freshUntil: 5000, response: { status: 200 } })
      expect(priceOf(found.response.response.bytes)).toEqual(first)
      expect(lookUp(1, 5000)._tag).toBe("Miss")
      expect(lookUp(2, 0)._tag).toBe("Miss")
    }))

  it.effect("finds nothing without a cache, and what is in a remote store only later", () =>
    Effect.gen(function*() {
      const off = yield* engineHarness(numberedPrice)
      yield* off.send(1)
      const missing = off.lookUp(1, 0)
      expect(missing._tag === "Miss" ? yield* missing.find : missing).toBeNull()
      const { peek: _, ...slow } = yield* CacheStore.memory()
      const slowStore = yield* Effect.provideService(
        engineHarness(numberedPrice, cachingOptions),
        CacheStore.CacheStore,
        slow
      )
      yield* slowStore.send(1)
      const found = slowStore.lookUp(1, 0)
      if (found._tag === "Hit") return expect.fail("the store is not in memory")
      for (const response of [yield* found.find, yield* found.send]) {
        expect(response).toMatchObject({ source: "cache", storedAt: 0 })
      }
    }))

  it.effect("counts a call and a hit if there is an entry, and nothing otherwise", () =>
    Effect.gen(function*() {
      const { lookUp, send } = yield* engineHarness(numberedPrice, cachingOptions)
      yield* send(1)
      const hit = Effect.sync(() => lookUp(1, 0))
      const miss = Effect.sync(() => lookUp(2, 0))
      const operation = "tokenPrice"
      const taken = Metric.value(withLabels(Telemetry.callDuration, { operation }))
      const before = yield* taken
      expect(yield* increaseOf(Telemetry.cacheRequests, { operation, result: "hit" }, miss)).toBe(0)
      expect(yield* increaseOf(Telemetry.calls, { operation, outcome: "ok" }, miss)).toBe(0)
      expect(yield* increaseOf(Telemetry.cacheRequests, { operation, result: "hit" }, hit)).toBe(1)
      expect(yield* increaseOf(Telemetry.calls, { operation, outcome: "ok" }, hit)).toBe(1)
      expect((yield* taken).count - before.count).toBe(2)
    }))
})

describe("invalidate", () => {
  it.effect("removes the entry of one request, and no other", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(numberedPrice, cachingOptions)
      yield* harness.send(1)
      yield* harness.send(2)
      expect(yield* harness.engine.invalidate(harness.upstream)(requestOf(1))).toBe(true)
      expect(yield* harness.send(2)).toMatchObject({ source: "cache" })
      expect(yield* fetchPriceOf(harness)).toEqual({ usdPrice: 3 })
    }))

  it.effect("of all requests removes every entry", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(numberedPrice, cachingOptions)
      yield* harness.send(1)
      yield* harness.send(2)
      expect(yield* harness.engine.invalidateAll).toBe(true)
      expect(yield* harness.send(1)).toMatchObject({ source: "upstream" })
      expect(yield* harness.send(2)).toMatchObject({ source: "upstream" })
    }))

  it.effect("of the memory removes every entry of a store in memory", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(numberedPrice, cachingOptions)
      yield* harness.send(1)
      expect(yield* harness.send(1)).toMatchObject({ source: "cache" })
      yield* harness.engine.invalidateMemory
      expect(yield* harness.send(1)).toMatchObject({ source: "upstream" })
    }))

  const purges: ReadonlyArray<readonly [string, (harness: EngineHarness) => Effect.Effect<unknown>]> = [
    ["of one request", ({ engine, upstream }) => engine.invalidate(upstream)(requestOf(1))],
    ["of everything", ({ engine }) => engine.invalidateAll],
    ["of the memory", ({ engine }) => engine.invalidateMemory]
  ]

  it.effect.each(purges)(
    "%s in flight lets its callers finish, sends a new request for later calls, and caches no old response",
    ([, purge]) =>
      Effect.gen(function*() {
        const [harness, peek] = yield* withInspectableStore(engineHarness(delayedPrice, limitedTimeouts))
        const before = yield* Effect.fork(fetchPriceOf(harness))
        yield* runPendingWork
        yield* purge(harness)
        yield* TestClock.adjust(500)
        const after = yield* Effect.fork(fetchPriceOf(harness))
        yield* TestClock.adjust(500)
        expect(yield* Fiber.join(before)).toEqual(first)
        expect(peek.size).toBe(0)
        yield* TestClock.adjust(500)
        expect(yield* Fiber.join(after)).toEqual(second)
        expect(peek.size).toBe(1)
        expect(yield* fetchPriceOf(harness)).toEqual(second)
        expect(harness.requests).toHaveLength(2)
      })
  )

  it.effect("applies to reloads in flight too", () =>
    Effect.gen(function*() {
      const [harness, peek] = yield* withInspectableStore(engineHarness(delayedPrice, limitedTimeouts))
      yield* Effect.fork(harness.send(1))
      yield* runPendingWork
      yield* Effect.fork(CallOptions.withCallOptions({ cacheMode: "reload" })(harness.send(1)))
      yield* runPendingWork
      yield* harness.engine.invalidate(harness.upstream)(requestOf(1))
      yield* TestClock.adjust(1000)
      expect(harness.requests).toHaveLength(2)
      expect(peek.size).toBe(0)
    }))

  it.effect("does not affect other requests in flight", () =>
    Effect.gen(function*() {
      const [harness, peek] = yield* withInspectableStore(engineHarness(delayedPrice, limitedTimeouts))
      yield* Effect.fork(harness.send(1))
      yield* runPendingWork
      yield* harness.engine.invalidate(harness.upstream)(requestOf(2))
      yield* TestClock.adjust(1000)
      expect(peek.size).toBe(1)
    }))

  it.effect("during a write removes the entry again", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const slow = yield* Effect.provideService(
        engineHarness(numberedPrice, limitedTimeouts),
        CacheStore.CacheStore,
        // The write completes after the invalidation.
        { ...store, set: (key, entry) => Effect.delay(store.set(key, entry), 300) }
      )
      yield* slow.send(1)
      yield* TestClock.adjust(100)
      yield* slow.engine.invalidateAll
      yield* TestClock.adjust(1000)
      expect(yield* fetchPriceOf(slow)).toEqual(second)
      yield* TestClock.adjust(1000)
      expect(yield* fetchPriceOf(slow)).toEqual(second)
    }))

  it.effect("returns false if the store is unavailable", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const { engine, upstream } = yield* Effect.provideService(
        engineHarness([], cachingOptions),
        CacheStore.CacheStore,
        { ...store, remove: () => Effect.succeed(false), clear: Effect.succeed(false) }
      )
      expect(yield* engine.invalidate(upstream)(requestOf(1))).toBe(false)
      expect(yield* engine.invalidateAll).toBe(false)
    }))
})
