/** Tests the cache in memory, which is limited by bytes. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"

const entry = (bytes: number): CacheStore.CacheEntry => ({
  response: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  version: 0,
  storedAt: 0,
  freshUntil: 1,
  expiresAt: 2
})

/** The estimated size of an entry: five times its body, two bytes per character of its key, and 1 KiB. */
const sizeOf = (key: string, bytes: number): number => bytes * 5 + key.length * 2 + 1024

const steps = FastCheck.array(
  FastCheck.record({
    do: FastCheck.constantFrom("set", "set", "set", "get", "get", "peek", "remove"),
    key: FastCheck.constantFrom("a", "b", "c", "d", "e", "f", "a longer key"),
    bytes: FastCheck.oneof(FastCheck.nat(600), FastCheck.nat(6000))
  }),
  { maxLength: 60 }
)

describe("the cache in memory", () => {
  it.effect.each([0, -1, Number.NaN, 0.5])(
    "stores nothing if maxBytes is %d",
    (maxBytes) =>
      Effect.gen(function*() {
        const store = yield* CacheStore.memory({ maxBytes })
        yield* store.set("a", entry(1))
        expect(yield* store.get("a")).toBeNull()
      })
  )

  it.effect.prop(
    "stays within maxBytes, evicts the least recently used entries, and stores none above an eighth of it",
    { steps, maxBytes: FastCheck.integer({ min: 9000, max: 40_000 }) },
    ({ maxBytes, steps }) =>
      Effect.gen(function*() {
        const store = yield* CacheStore.memory({ maxBytes })
        /** Entries, least recently used first. */
        let model: ReadonlyArray<readonly [key: string, entry: CacheStore.CacheEntry]> = []
        const total = () =>
          model.reduce((sum, [key, { response }]) => sum + sizeOf(key, response.bytes.length), 0)
        for (const { bytes, do: step, key } of steps) {
          const others = model.filter(([other]) => other !== key)
          if (step === "set") {
            const stored = entry(bytes)
            yield* store.set(key, stored)
            model = sizeOf(key, bytes) > Math.floor(maxBytes / 8) ? others : [...others, [key, stored]]
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
      })
  )
})
