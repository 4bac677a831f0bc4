import { nextCursor, page } from "@blockquarry/core/Page"
import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { decode, encode, isDecodable } from "./support/schema.ts"

const Envelope = page(Schema.Number)

const next = (document: unknown): string | undefined => nextCursor(decode(Envelope, document))

describe("nextCursor", () => {
  it.each([
    ["no cursor", { result: [1] }],
    ["a null cursor", { result: [1], cursor: null }],
    ["an empty cursor", { result: [1], cursor: "" }],
    ["no cursor, although the total is larger than the page", {
      result: [1],
      total: 500,
      page: 0,
      page_size: 1
    }]
  ])("returns undefined for a page with %s", (_, page) => {
    expect(next(page)).toBeUndefined()
  })

  it.each([
    ["records", { result: [1], cursor: "abc" }, "abc"],
    ["no records", { result: [], cursor: "abc" }, "abc"],
    ["all records of the total", { result: [1], total: 1, cursor: "abc" }, "abc"],
    ["a blank cursor", { result: [], cursor: " " }, " "],
    ["the cursor 0", { result: [], cursor: 0 }, "0"]
  ])("returns the cursor of a page with %s", (_, page, cursor) => {
    expect(next(page)).toBe(cursor)
  })
})

describe("a page", () => {
  it("requires only its result", () => {
    expect(decode(Envelope, { result: [] })).toStrictEqual({
      total: null,
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

  it("accepts numbers as strings, null, and absent", () => {
    const numbers = { total: 2000, page: 1, page_size: 100 }
    expect(decode(Envelope, { result: [], total: "2000", page: "1", page_size: "100" })).toMatchObject(
      numbers
    )
    expect(decode(Envelope, { result: [], ...numbers })).toMatchObject(numbers)
    expect(decode(Envelope, { result: [], total: null, page: undefined })).toMatchObject({
      total: null,
      page: null,
      page_size: null
    })
  })

  it.each([
    ["an error object", { message: "Something went wrong" }],
    ["an empty object", {}],
    ["null", null],
    ["an array", []],
    ["a string", "<html></html>"],
    ["a result that is null", { result: null }],
    ["a result that is an object", { result: {} }],
    ["an invalid record", { result: [1, "x"] }],
    ["a page that is not a number", { result: [], page: "first" }],
    ["a cursor that is an object", { result: [], cursor: {} }]
  ])("cannot be %s", (_, document) => {
    expect(isDecodable(Envelope, document)).toBe(false)
  })
})
