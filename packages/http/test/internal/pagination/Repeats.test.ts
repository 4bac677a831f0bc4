/** Tests how many cursors pagination remembers. `Pagination/byCursor.test.ts` has what a repeated one means. */
import { describe, expect, it } from "@effect/vitest"
import { seenCursors as make } from "../../../src/internal/pagination/Repeats.ts"

describe("seen cursors", () => {
  it("tells 150,000 similar cursors apart, knows the last 32,768, and forgets those before the last 65,536", () => {
    const seenCursors = make()
    const cursorOf = (page: number) => `${"eyJhbGciOiJIUzI1NiJ9".repeat(10)}.${page}`
    const pages = 150_000
    for (let page = 0; page < pages; page++) {
      if (!seenCursors.add(cursorOf(page))) expect.fail(`page ${page} counts as repeated`)
    }
    for (const page of [pages - 1, pages - 1000, pages - 32_768]) {
      expect(seenCursors.add(cursorOf(page))).toBe(false)
    }
    for (const page of [0, 1, 1000, pages - 65_536 - 1]) expect(seenCursors.add(cursorOf(page))).toBe(true)
  })
})
