/** Tests what pagination remembers of the cursors that it followed. */
import { describe, expect, it, vi } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as SeenCursors from "../../../src/internal/pagination/SeenCursors.ts"

/** Returns the strings that an action adds to sets. */
const addedBy = (action: () => void): ReadonlyArray<string> => {
  const add = vi.spyOn(Set.prototype, "add")
  try {
    action()
    return add.mock.calls.flatMap(([value]) => typeof value === "string" ? value : [])
  } finally {
    add.mockRestore()
  }
}

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

  it("tells 150,000 similar cursors apart, and keeps 8 characters of each of the last 65,536 at most", () => {
    const seenCursors = SeenCursors.make()
    const cursorOf = (page: number) => `${"eyJhbGciOiJIUzI1NiJ9".repeat(10)}.${page}`
    const pages = 150_000
    const added = addedBy(() => {
      for (let page = 0; page < pages; page++) {
        if (!seenCursors.add(cursorOf(page))) expect.fail(`page ${page} counts as repeated`)
      }
    })
    expect(added).toHaveLength(pages)
    expect(new Set(added.map(({ length }) => length))).toEqual(new Set([8]))
    expect(seenCursors.add(cursorOf(pages - 32_768))).toBe(false)
    // Older ones are forgotten
    for (const page of [0, 1, 1000, pages - 65_536 - 1]) expect(seenCursors.add(cursorOf(page))).toBe(true)
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
