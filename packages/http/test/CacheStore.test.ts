/** Answers in memory, bounded by bytes, and in a shared store that may be away. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { StoreFault } from "@blockquarry/http/StoreFault"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"

const entry = (bytes: number): CacheStore.Entry => ({
  answer: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  storedAt: 0,
  freshUntil: 1,
  keepUntil: 2
})

/** What an entry is taken for: five times its bytes, two for each letter of its key, and a kibibyte. */
const sizeOf = (key: string, bytes: number): number => bytes * 5 + key.length * 2 + 1024

const steps = FastCheck.array(
  FastCheck.record({
    set: FastCheck.boolean(),
    key: FastCheck.constantFrom("a", "b", "c", "d", "e", "f", "a longer key"),
    bytes: FastCheck.oneof(FastCheck.nat(600), FastCheck.nat(6000))
  }),
  { maxLength: 60 }
)

describe("answers in memory", () => {
  it.effect.prop(
    "take no more than they may; the least recently used go first, and none is larger than an eighth",
    { steps, maxBytes: FastCheck.integer({ min: 9000, max: 40_000 }) },
    ({ maxBytes, steps }) =>
      Effect.gen(function*() {
        const store = yield* CacheStore.memory({ maxBytes })
        /** Least recently used first. */
        let model: ReadonlyArray<readonly [key: string, entry: CacheStore.Entry]> = []
        const total = () =>
          model.reduce((sum, [key, { answer }]) => sum + sizeOf(key, answer.bytes.length), 0)
        for (const { bytes, key, set } of steps) {
          const others = model.filter(([other]) => other !== key)
          if (set) {
            const one = entry(bytes)
            yield* store.set(key, one)
            model = sizeOf(key, bytes) > Math.floor(maxBytes / 8) ? others : [...others, [key, one]]
            while (total() > maxBytes) model = model.slice(1)
          } else {
            const known = model.find(([other]) => other === key)
            expect(yield* store.get(key)).toBe(known?.[1] ?? null)
            if (known !== undefined) model = [...others, known]
          }
        }
        for (const [key, known] of model) expect(yield* store.get(key)).toBe(known)
        for (const key of ["a", "b", "c", "d", "e", "f", "a longer key"]) {
          if (!model.some(([other]) => other === key)) expect(yield* store.get(key)).toBeNull()
        }
      }),
    { fastCheck: { numRuns: 100 } }
  )

  it.effect("leave out what is too large, and forget with it what it would have taken the place of", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory({ maxBytes: 80_000 })
      yield* store.set("a", entry(10))
      yield* store.set("a", entry(9000))
      expect(yield* store.get("a")).toBeNull()
    }))

  it.effect("count their keys too", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory({ maxBytes: 80_000 })
      const bytes = (10_000 - 1024 - 26) / 5
      yield* store.set("k".repeat(13), entry(bytes))
      yield* store.set("k".repeat(14), entry(bytes))
      expect(yield* store.get("k".repeat(13))).not.toBeNull()
      expect(yield* store.get("k".repeat(14))).toBeNull()
    }))

  it.effect("are as large as they come where nothing is said: an eighth of 64 MiB decoded", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const most = Math.floor((CacheStore.defaultMaxBytes / 8 - 1026) / 5)
      yield* store.set("a", entry(most))
      yield* store.set("b", entry(most + 1))
      expect(yield* store.get("a")).not.toBeNull()
      expect(yield* store.get("b")).toBeNull()
    }))

  it.effect("come as a layer", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.CacheStore
      const one = entry(1)
      yield* store.set("a", one)
      expect(yield* store.get("a")).toBe(one)
    }).pipe(Effect.provide(CacheStore.layerMemory({ maxBytes: 80_000 }))))
})

describe("answers in a shared store", () => {
  it.scoped("are not found while it is away, and not kept; and are found again after that", () =>
    Effect.gen(function*() {
      const kept = new Map<string, CacheStore.Entry>()
      const state = { away: false }
      const reach = <A>(ask: () => A): Effect.Effect<A, StoreFault> =>
        Effect.suspend(() =>
          state.away ? Effect.fail(new StoreFault({ problem: "refused" })) : Effect.sync(ask)
        )
      const store = yield* CacheStore.withFallback({
        get: (key) => reach(() => kept.get(key) ?? null),
        set: (key, entry) =>
          reach(() => {
            kept.set(key, entry)
          }),
        ping: reach(() => {})
      })
      const one = entry(1)
      yield* store.set("a", one)
      expect(yield* store.get("a")).toBe(one)
      state.away = true
      expect(yield* store.get("a")).toBeNull()
      yield* store.set("b", one)
      state.away = false
      expect(yield* store.get("a")).toBeNull()
      yield* TestClock.adjust(500)
      expect(yield* store.get("a")).toBe(one)
      expect([...kept.keys()]).toEqual(["a"])
    }))
})
