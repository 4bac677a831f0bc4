/** Tests the cache in memory, which is limited by bytes. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const entry = (bytes: number): CacheStore.CacheEntry => ({
  response: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  version: 0,
  storedAt: 0,
  freshUntil: 1,
  expiresAt: 2
})

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

  it.effect("stores an entry up to an eighth of maxBytes, as estimated at five times its body, its key and 1 KiB", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory({ maxBytes: 8 * (5 * 100 + 2 * 3 + 1024) })
      yield* store.set("key", entry(100))
      expect(yield* store.get("key")).not.toBeNull()
      yield* store.set("key", entry(101))
      expect(yield* store.get("key")).toBeNull()
      yield* store.set("key", entry(100))
      expect([yield* store.clear, store.peek?.("key")]).toEqual([true, undefined])
    }))
})
