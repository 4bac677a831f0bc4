/** An `LruMap` behaves like a list of entries in the order of their use. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as LruMap from "../../../src/internal/stores/LruMap.ts"
import { buffersUsed } from "../../support/MemoryUsage.ts"

type Action = readonly [name: "get" | "peek" | "set" | "delete" | "clear", key: string, size: number]

const limits = { maxSize: 10, maxEntrySize: 6, sizeOf: (_: string, size: number) => size }

const actions: FastCheck.Arbitrary<ReadonlyArray<Action>> = FastCheck.array(
  FastCheck.tuple(
    FastCheck.constantFrom<Action[0]>("get", "peek", "set", "set", "set", "delete", "clear"),
    FastCheck.constantFrom("a", "b", "c", "d", "e"),
    FastCheck.integer({ min: 1, max: 7 })
  ),
  { maxLength: 100, size: "max" }
)

/** The entries after an action, the least recently used first. */
const model = (
  entries: ReadonlyArray<readonly [string, number]>,
  [name, key, size]: Action
): ReadonlyArray<readonly [string, number]> => {
  const others = entries.filter(([other]) => other !== key)
  const found = entries.filter(([other]) => other === key)
  if (name === "clear") return []
  if (name === "delete") return others
  if (name === "get") return [...others, ...found]
  if (name === "peek") return entries
  const kept = size > limits.maxEntrySize ? others : [...others, [key, size] as const]
  const isWithinLimit = (from: number) =>
    kept.slice(from).reduce((total, [, size]) => total + size, 0) <= limits.maxSize
  return kept.slice(kept.findIndex((_, from) => isWithinLimit(from)))
}

describe("LruMap", () => {
  it("evicts the least recently used entries beyond the total size, and stores none that is too large", () => {
    FastCheck.assert(
      FastCheck.property(actions, (actions) => {
        const map = LruMap.make<number>(limits)
        let expected: ReadonlyArray<readonly [string, number]> = []
        for (const action of actions) {
          const [name, key, size] = action
          const value = expected.find(([other]) => other === key)?.[1]
          if (name === "set") map.set(key, size)
          else if (name === "clear") map.clear()
          else if (name === "delete") map.delete(key)
          else expect(map[name](key)).toBe(value)
          expected = model(expected, action)
          expect([...map.values()]).toEqual(expected.map(([, size]) => size))
        }
      })
    )
  })

  it("limits the number of entries by default", () => {
    const map = LruMap.make<number>({ maxSize: 2 })
    for (const [value, key] of ["a", "b", "c"].entries()) map.set(key, value)
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, 1, 2])
  })

  it("leaves the values of removed entries to the next collection of the young generation", () => {
    const valueBytes = 10_000
    const map = LruMap.make<ArrayBuffer>({ maxSize: 100 })
    let keys = 0
    const set = (count: number) => {
      for (let index = 0; index < count; index++) map.set(String(keys++), new ArrayBuffer(valueBytes))
    }
    set(200)
    // Makes the table of the `Map` old.
    const before = buffersUsed("full")
    const after = Array.from({ length: 30 }, () => {
      set(150)
      return buffersUsed("minor")
    })
    // 250 values: the entries, and removed ones that are still being freed. 2,800 if removed entries kept their values.
    expect(Math.max(...after) - before).toBeLessThan(400 * valueBytes)
  })
})
