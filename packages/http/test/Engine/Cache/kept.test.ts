/** What is kept can be looked at without any fiber, and be forgotten. */
import { ledgerTransaction } from "@blockquarry/core/operations/ledgerTransaction"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as Override from "@blockquarry/http/Override"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import { requestOf, type Running, running } from "../../support/Engines.ts"
import { caching, counted, spying } from "../../support/Keeping.ts"
import { labelled, rise } from "../../support/Metrics.ts"
import { bare } from "../../support/Numbered.ts"
import { settled } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

const slowly: Scripted.Script = (asked, number) => Scripted.late("1 second", counted(asked, number))

/** A flight that has an end goes on though nobody waits. */
const ending = { ...caching, timeouts: { attempt: "10 seconds", total: "1 minute" } } as const

const priceOf = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

/** The price of token 1 as it is served. */
const served = ({ ask }: Running) => Effect.map(ask(1), ({ answer }) => priceOf(answer.bytes))

const first = { usdPrice: 1 }
const second = { usdPrice: 2 }

describe("what is kept", () => {
  it.effect("is there at once for as long as it is fresh", () =>
    Effect.gen(function*() {
      const { ask, engine, target } = yield* running(counted, caching)
      const kept = engine.kept(tokenPrice, target)
      expect(kept(requestOf(1), 0)).toBeUndefined()
      yield* ask(1)
      const entry = kept(requestOf(1), 4999)
      expect(entry).toMatchObject({ storedAt: 0, freshUntil: 5000, answer: { status: 200 } })
      expect(entry === undefined ? undefined : priceOf(entry.answer.bytes)).toEqual(first)
      expect(kept(requestOf(1), 5000)).toBeUndefined()
      expect(kept(requestOf(2), 0)).toBeUndefined()
    }))

  it.effect("is nothing where the cache is off, for a change, without an address, and in a store that takes its time", () =>
    Effect.gen(function*() {
      const { ask, engine, target } = yield* running(counted, caching)
      yield* ask(1)
      const off = { ...target, policies: { ...target.policies, cache: ResponseCache.none } }
      expect(engine.kept(tokenPrice, off)(requestOf(1), 0)).toBeUndefined()
      expect(engine.kept(tokenPrice, target)({ ...requestOf(1), method: "POST" }, 0)).toBeUndefined()
      const nowhere = yield* running(counted, { ...caching, baseUrl: undefined })
      expect(nowhere.engine.kept(tokenPrice, nowhere.target)(requestOf(1), 0)).toBeUndefined()
      const { peek: _, ...slow } = yield* CacheStore.memory()
      const away = yield* Effect.provideService(running(counted, caching), CacheStore.CacheStore, slow)
      yield* away.ask(1)
      expect(away.engine.kept(tokenPrice, away.target)(requestOf(1), 0)).toBeUndefined()
      expect(yield* served(away)).toEqual(first)
    }))

  it.effect("counts as a call and as a hit when it is given, and as nothing when it is looked at", () =>
    Effect.gen(function*() {
      const { ask, engine, target } = yield* running(counted, caching)
      yield* ask(1)
      const look = Effect.sync(() => engine.kept(tokenPrice, target)(requestOf(1), 0))
      const given = Effect.sync(() => engine.given(tokenPrice))
      const operation = "tokenPrice"
      const taken = Metric.value(labelled(Telemetry.callSeconds, { operation }))
      const before = yield* taken
      expect(yield* look).toBeDefined()
      expect(yield* rise(Telemetry.cache, { operation, result: "hit" }, look)).toBe(0)
      expect(yield* rise(Telemetry.calls, { operation, outcome: "ok" }, look)).toBe(0)
      expect(yield* rise(Telemetry.cache, { operation, result: "hit" }, given)).toBe(1)
      expect(yield* rise(Telemetry.calls, { operation, outcome: "ok" }, given)).toBe(1)
      expect((yield* taken).count - before.count).toBe(2)
    }))
})

describe("a purge", () => {
  it.effect("of one question forgets its answer, and no other", () =>
    Effect.gen(function*() {
      const scene = yield* running(counted, caching)
      yield* scene.ask(1)
      yield* scene.ask(2)
      expect(yield* scene.engine.forget(tokenPrice, scene.target)(requestOf(1))).toBe(true)
      expect(yield* scene.ask(2)).toMatchObject({ source: "cache" })
      expect(yield* served(scene)).toEqual({ usdPrice: 3 })
    }))

  it.effect("of everything forgets everything", () =>
    Effect.gen(function*() {
      const scene = yield* running(counted, caching)
      yield* scene.ask(1)
      yield* scene.ask(2)
      expect(yield* scene.engine.clear).toBe(true)
      expect(yield* scene.ask(1)).toMatchObject({ source: "service" })
      expect(yield* scene.ask(2)).toMatchObject({ source: "service" })
    }))

  it.effect("without an address has nothing to do", () =>
    Effect.gen(function*() {
      const { engine, target } = yield* running([], { ...caching, baseUrl: undefined })
      expect(yield* engine.forget(ledgerTransaction, target)(requestOf(1))).toBe(true)
    }))

  const purges: ReadonlyArray<readonly [string, (scene: Running) => Effect.Effect<boolean>]> = [
    ["of the question", ({ engine, target }) => engine.forget(tokenPrice, target)(requestOf(1))],
    ["of everything", ({ engine }) => engine.clear]
  ]

  it.effect.each(purges)(
    "%s while it is being asked: who waits is answered, who comes later asks anew, and nothing old is kept",
    ([, purge]) =>
      Effect.gen(function*() {
        const [scene, kept] = yield* spying(running(slowly, ending))
        const before = yield* Effect.fork(served(scene))
        yield* settled
        yield* purge(scene)
        yield* TestClock.adjust(500)
        const after = yield* Effect.fork(served(scene))
        yield* TestClock.adjust(500)
        expect(yield* Fiber.join(before)).toEqual(first)
        expect(kept.size).toBe(0)
        yield* TestClock.adjust(500)
        expect(yield* Fiber.join(after)).toEqual(second)
        expect(kept.size).toBe(1)
        expect(yield* served(scene)).toEqual(second)
        expect(scene.asked).toHaveLength(2)
      })
  )

  it.effect("overtakes flights that others began anew, too", () =>
    Effect.gen(function*() {
      const [scene, kept] = yield* spying(running(slowly, ending))
      yield* Effect.fork(scene.ask(1))
      yield* settled
      yield* Effect.fork(Override.effect({ cacheMode: "reload" })(scene.ask(1)))
      yield* settled
      yield* scene.engine.forget(tokenPrice, scene.target)(requestOf(1))
      yield* TestClock.adjust(1000)
      expect(scene.asked).toHaveLength(2)
      expect(kept.size).toBe(0)
    }))

  it.effect("leaves the flights of other questions alone", () =>
    Effect.gen(function*() {
      const [scene, kept] = yield* spying(running(slowly, ending))
      yield* Effect.fork(scene.ask(1))
      yield* settled
      yield* scene.engine.forget(tokenPrice, scene.target)(requestOf(2))
      yield* TestClock.adjust(1000)
      expect(kept.size).toBe(1)
    }))

  it.effect("that comes while the answer is being written has it forgotten again", () =>
    Effect.gen(function*() {
      const kept = new Map<string, CacheStore.Entry>()
      const store: CacheStore.CacheStoreService = {
        get: (key) => Effect.sync(() => kept.get(key) ?? null),
        // It takes what is written only after a while, and by then the purge is done.
        set: (key, entry) =>
          Effect.zipRight(
            Effect.sleep(300),
            Effect.sync(() => {
              kept.set(key, entry)
            })
          ),
        remove: (key) => Effect.sync(() => kept.delete(key)),
        clear: Effect.sync(() => (kept.clear(), true))
      }
      const slow = yield* Effect.provideService(running(counted, ending), CacheStore.CacheStore, store)
      yield* slow.ask(1)
      yield* TestClock.adjust(100)
      yield* slow.engine.clear
      yield* TestClock.adjust(1000)
      expect(kept.size).toBe(0)
      expect(yield* served(slow)).toEqual(second)
      yield* TestClock.adjust(1000)
      expect(kept.size).toBe(1)
    }))

  it.effect("forgets nothing of what an engine asks without a cache", () =>
    Effect.gen(function*() {
      const scene = yield* running(slowly, bare)
      const call = yield* Effect.fork(served(scene))
      yield* settled
      yield* scene.engine.clear
      yield* TestClock.adjust(1000)
      expect(yield* Fiber.join(call)).toEqual(first)
    }))

  it.effect("says so where the store is away", () =>
    Effect.gen(function*() {
      const store: CacheStore.CacheStoreService = {
        get: () => Effect.succeed(null),
        set: () => Effect.void,
        remove: () => Effect.succeed(false),
        clear: Effect.succeed(false)
      }
      const { engine, target } = yield* Effect.provideService(
        running([], caching),
        CacheStore.CacheStore,
        store
      )
      expect(yield* engine.forget(tokenPrice, target)(requestOf(1))).toBe(false)
      expect(yield* engine.clear).toBe(false)
    }))
})
