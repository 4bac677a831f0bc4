/** Tests the memory of an `LruMap`. The law of `CacheStore` tests the order in which it evicts entries. */
import { describe, expect, it, vi } from "@effect/vitest"
import * as LruMap from "../../../src/internal/stores/LruMap.ts"

/** Returns what an action stores in maps. Their old tables may keep it until a collection of the whole heap. */
const storedBy = (action: () => void): ReadonlyArray<object> => {
  const set = vi.spyOn(Map.prototype, "set")
  try {
    action()
    return set.mock.calls.map(([, entry]) => Object(entry))
  } finally {
    set.mockRestore()
  }
}

/** The objects that an object refers to. */
const referencesOf = (entry: object): ReadonlyArray<unknown> =>
  Object.values(entry).filter((value) => typeof value === "object" && value !== null)

describe("LruMap", () => {
  it("keeps neither the value of a removed entry nor other entries reachable from what its tables may keep", () => {
    const map = LruMap.make<{ readonly key: string }>({ maxSize: 100 })
    const entries = storedBy(() => {
      for (let key = 0; key < 300; key++) map.set(String(key), { key: String(key) })
      map.set("290", { key: "replaced" })
      map.delete("299")
    })
    const values = map.values()
    expect(values).toHaveLength(99)
    expect(entries).toHaveLength(300)
    const kept = entries.filter((entry) =>
      referencesOf(entry).some((value) => values.some((each) => each === value))
    )
    expect(kept).toHaveLength(99)
    expect(entries.filter((entry) => !kept.includes(entry)).flatMap(referencesOf)).toEqual([])
    map.clear()
    expect(entries.flatMap(referencesOf)).toEqual([])
  })
})
