import { nextCursor, page } from "@blockquarry/core/Page"
import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { decode, encode } from "./support/schema.ts"

const Envelope = page(Schema.Number)

const next = (document: unknown): string | undefined => nextCursor(decode(Envelope, document))

describe("nextCursor", () => {
  it.each([
    [{ result: [1] }, undefined],
    [{ result: [1], cursor: null }, undefined],
    [{ result: [1], cursor: "" }, undefined],
    [{ result: [], cursor: "abc" }, "abc"],
    [{ result: [], cursor: " " }, " "],
    [{ result: [], cursor: 0 }, "0"]
  ])("of %j is %j", (page, cursor) => {
    expect(next(page)).toBe(cursor)
  })
})

describe("a page", () => {
  it("requires only its result", () => {
    expect(decode(Envelope, { result: [], total: "7" })).toStrictEqual({
      total: 7,
      page: null,
      page_size: null,
      result: []
    })
  })

  it("distinguishes a null cursor from an absent one", () => {
    expect(decode(Envelope, { result: [], cursor: null })).toHaveProperty("cursor", null)
    expect(decode(Envelope, { result: [] })).not.toHaveProperty("cursor")
    expect(encode(Envelope, decode(Envelope, { result: [] }))).not.toHaveProperty("cursor")
  })
})
