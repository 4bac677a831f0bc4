/** Answers in memory, bounded by bytes, and in a shared store that may be away. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

const entry = (bytes: number): CacheStore.CacheEntry => ({
  response: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  storedAt: 0,
  freshUntil: 1,
  expiresAt: 2
})

/** What an entry is taken for: five times its bytes, two for each letter of its key, and a kibibyte. */
const sizeOf = (key: string, bytes: number): number => bytes * 5 + key.length * 2 + 1024

const steps = FastCheck.array(
  FastCheck.record({
    do: FastCheck.constantFrom("set", "set", "set", "get", "get", "peek", "remove"),
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
        let model: ReadonlyArray<readonly [key: string, entry: CacheStore.CacheEntry]> = []
        const total = () =>
          model.reduce((sum, [key, { response: answer }]) => sum + sizeOf(key, answer.bytes.length), 0)
        for (const { bytes, do: step, key } of steps) {
          const others = model.filter(([other]) => other !== key)
          if (step === "set") {
            const one = entry(bytes)
            yield* store.set(key, one)
            model = sizeOf(key, bytes) > Math.floor(maxBytes / 8) ? others : [...others, [key, one]]
            while (total() > maxBytes) model = model.slice(1)
          } else if (step === "remove") {
            expect(yield* store.remove(key)).toBe(true)
            model = others
          } else {
            const known = model.find(([other]) => other === key)
            if (step === "get") expect(yield* store.get(key)).toBe(known?.[1] ?? null)
            else expect(store.peek?.(key)).toBe(known?.[1])
            if (known !== undefined) model = [...others, known]
          }
        }
        for (const [key, known] of model) expect(yield* store.get(key)).toBe(known)
        for (const key of ["a", "b", "c", "d", "e", "f", "a longer key"]) {
          if (!model.some(([other]) => other === key)) expect(yield* store.get(key)).toBeNull()
        }
        expect(yield* store.clear).toBe(true)
        for (const [key] of model) expect(store.peek?.(key)).toBeUndefined()
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

  it.effect("are found at once, without an effect", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory({ maxBytes: 80_000 })
      const one = entry(1)
      yield* store.set("a", one)
      expect(store.peek?.("a")).toBe(one)
      expect(store.peek?.("b")).toBeUndefined()
      yield* store.remove("a")
      expect(store.peek?.("a")).toBeUndefined()
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
  /** A shared store that can go away and be slow at clearing, what is in it, and what is over it. */
  const over = Effect.gen(function*() {
    const kept = new Map<string, CacheStore.CacheEntry>()
    const state: { away: boolean; clearing: Effect.Effect<void> } = { away: false, clearing: Effect.void }
    const reach = <A>(ask: () => A): Effect.Effect<A, StoreError> =>
      Effect.suspend(() => state.away ? Effect.fail(new StoreError({ reason: "refused" })) : Effect.sync(ask))
    const store = yield* CacheStore.withFallback({
      get: (key) => reach(() => kept.get(key) ?? null),
      set: (key, entry) =>
        reach(() => {
          kept.set(key, entry)
        }),
      remove: (key) =>
        reach(() => {
          kept.delete(key)
        }),
      clear: Effect.zipRight(Effect.suspend(() => state.clearing), reach(() => kept.clear())),
      ping: reach(() => {})
    })
    return { kept, state, store }
  })

  it.scoped("are not found while it is away, and not kept; and are found again after that", () =>
    Effect.gen(function*() {
      const { kept, state, store } = yield* over
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
      expect(store.peek).toBeUndefined()
    }))

  it.scoped("are forgotten there, and whoever asks for it is told where they could not be", () =>
    Effect.gen(function*() {
      const { kept, state, store } = yield* over
      for (const key of ["a", "b", "c"]) yield* store.set(key, entry(1))
      expect(yield* store.remove("a")).toBe(true)
      expect(yield* store.remove("a")).toBe(true)
      expect([...kept.keys()]).toEqual(["b", "c"])
      state.away = true
      expect([yield* store.remove("b"), yield* store.clear]).toEqual([false, false])
      state.away = false
      // Nobody has noticed yet that it is back
      expect([yield* store.clear, yield* store.remove("b")]).toEqual([false, false])
      expect([...kept.keys()]).toEqual(["b", "c"])
      yield* TestClock.adjust(500)
      expect(yield* store.clear).toBe(true)
      expect([...kept.keys()]).toEqual([])
    }))

  it.scoped("may take longer to be forgotten than anything else may take, a minute at most", () =>
    Effect.gen(function*() {
      const { kept, state, store } = yield* over
      const clearedIn = (millis: number) =>
        Effect.gen(function*() {
          state.clearing = Effect.sleep(millis)
          yield* store.set("a", entry(1))
          const cleared = yield* Effect.fork(store.clear)
          yield* TestClock.adjust(Math.min(millis, 60_000))
          return [yield* Fiber.join(cleared), kept.size]
        })
      expect(yield* clearedIn(59_000)).toEqual([true, 0])
      expect(yield* clearedIn(61_000)).toEqual([false, 1])
    }))
})
