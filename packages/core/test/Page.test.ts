import { nextCursor, page } from "@blockquarry/core/Page"
import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { decode, encode, isDecodable } from "./support/schema.ts"

const Envelope = page(Schema.Number)

const next = (document: unknown): string | undefined => nextCursor(decode(Envelope, document))

describe("nextCursor", () => {
  it.each([
    [{ result: [1] }, undefined],
    [{ result: [1], cursor: null }, undefined],
    [{ result: [1], cursor: "" }, undefined],
    [{ result: [1], total: 500, page: 0, page_size: 1 }, undefined],
    [{ result: [], cursor: "abc" }, "abc"],
    [{ result: [1], total: 1, cursor: "abc" }, "abc"],
    [{ result: [], cursor: " " }, " "],
    [{ result: [], cursor: 0 }, "0"]
  ])("of %j is %j", (page, cursor) => {
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
