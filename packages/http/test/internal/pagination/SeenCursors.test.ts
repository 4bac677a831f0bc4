/** Tests what pagination remembers of the cursors that it followed. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as SeenCursors from "../../../src/internal/pagination/SeenCursors.ts"
import { heapUsed } from "../../support/MemoryUsage.ts"

describe("seen cursors", () => {
  it("reports exactly the cursors that were added before", () => {
    const cursor = FastCheck.oneof(FastCheck.constantFrom("a", "b", "c", "ab", "ba"), FastCheck.string())
    FastCheck.assert(
      FastCheck.property(FastCheck.array(cursor, { maxLength: 60 }), (cursors) => {
        const seenCursors = SeenCursors.make()
        const added = new Set<string>()
        for (const cursor of cursors) {
          expect(seenCursors.add(cursor)).toBe(!added.has(cursor))
          added.add(cursor)
        }
      })
    )
  })

  it("tells 200,000 similar cursors apart", () => {
    const seenCursors = SeenCursors.make()
    for (let page = 0; page < 200_000; page++) {
      if (!seenCursors.add(`eyJhbGciOiJIUzI1NiJ9.${page}`)) expect.fail(`page ${page} counts as repeated`)
    }
  })

  it("takes the same memory for 200,000 pages as for 70,000", () => {
    const seenCursors = SeenCursors.make()
    const addPages = (first: number, end: number) => {
      for (let page = first; page < end; page++) seenCursors.add(`${page} ${"x".repeat(1000)}`)
    }
    addPages(0, 70_000)
    const before = heapUsed()
    addPages(70_000, 200_000)
    expect(heapUsed() - before).toBeLessThan(4_000_000)
    expect(seenCursors.add("another")).toBe(true)
  })

  it.each([1, 2, 1000, 32_768, 65_537, 100_000])(
    "ends a list that repeats after %i pages before it was read three times",
    (length) => {
      const seenCursors = SeenCursors.make()
      let pages = 0
      while (seenCursors.add(`start ${Math.min(pages, 7)} ${pages < 7 ? "" : (pages - 7) % length}`)) pages++
      expect(pages).toBeLessThanOrEqual(7 + (length > 32_768 ? 3 : 1) * length)
    }
  )
})
