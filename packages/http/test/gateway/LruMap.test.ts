/** Tests what an `LruMap` keeps. */
import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as LruMap from "../../src/gateway/LruMap.ts"

const steps = FastCheck.array(
  FastCheck.record({
    do: FastCheck.constantFrom("set", "set", "get", "get", "delete"),
    key: FastCheck.constantFrom(..."abcdefghij"),
    size: FastCheck.integer({ min: 1, max: 15 })
  }),
  { maxLength: 80, size: "max" }
)

it("a map stays within its size, keeps what was used last, and stores nothing that is too large", () => {
  const [maxSize, maxEntrySize] = [100, 12]
  FastCheck.assert(FastCheck.property(steps, (steps) => {
    const map = LruMap.make<{ readonly size: number }>({
      maxSize,
      maxEntrySize,
      sizeOf: (_, { size }) => size
    })
    /** Values by key, with the sizes of what was stored or used since their last use. */
    const model = new Map<string, { readonly value: { readonly size: number }; since: number }>()
    for (const { do: step, key, size } of steps) {
      const value = step === "set" ? { size } : step === "get" ? map.get(key) : undefined
      if (step === "get" && value !== undefined) {
        expect(value).toBe(model.get(key)?.value)
      }
      if (step === "set") map.set(key, { ...value, size })
      if (step === "delete") map.delete(key)
      const stored = map.peek(key)
      expect(stored === undefined).toBe(
        step === "delete" || (step === "set" ? size > maxEntrySize : value === undefined)
      )
      model.delete(key)
      for (const entry of model.values()) entry.since += stored?.size ?? 0
      if (stored !== undefined) model.set(key, { value: stored, since: 0 })
      expect(map.values().reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(maxSize)
      for (const [key, { since, value }] of model) {
        if (since <= maxSize / 2) expect(map.peek(key)).toBe(value)
      }
    }
    map.clear()
    expect(map.values()).toEqual([])
  }))
})
