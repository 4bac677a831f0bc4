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

  it("tells 150,000 similar cursors apart, in the memory of 70,000", () => {
    const seenCursors = SeenCursors.make()
    const addPages = (first: number, end: number) => {
      for (let page = first; page < end; page++) {
        if (!seenCursors.add(`${"eyJhbGciOiJIUzI1NiJ9".repeat(10)}.${page}`)) {
          expect.fail(`page ${page} counts as repeated`)
        }
      }
    }
    addPages(0, 70_000)
    const before = heapUsed()
    addPages(70_000, 150_000)
    expect(heapUsed() - before).toBeLessThan(4_000_000)
  })

  it.each([1, 1000, 32_768, 65_537])(
    "ends a list that repeats after %i pages before it was read three times",
    (length) => {
      const seenCursors = SeenCursors.make()
      let pages = 0
      while (seenCursors.add(`start ${Math.min(pages, 7)} ${pages < 7 ? "" : (pages - 7) % length}`)) pages++
      expect(pages).toBeLessThanOrEqual(7 + (length > 32_768 ? 3 : 1) * length)
    }
  )
})
