/** Tests the memory of an `LruMap`. The law of `CacheStore` tests the order in which it evicts entries. */
import { describe, expect, it } from "@effect/vitest"
import * as LruMap from "../../../src/internal/stores/LruMap.ts"
import { buffersUsed } from "../../support/MemoryUsage.ts"

describe("LruMap", () => {
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
