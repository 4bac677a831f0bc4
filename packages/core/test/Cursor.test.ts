import {
  Cursor,
  formatResumeCursor,
  isResumeCursor,
  parseResumeCursor,
  ResumeCursor
} from "@blockquarry/core/Cursor"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as FastCheck from "effect/FastCheck"
import { decode, encode, isDecodable } from "./support/schema.ts"

const damaged = Either.left("this cursor was damaged; start the list again without it")

const example = new ResumeCursor({
  operation: "walletTransfers",
  parameters: "address=0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed&chain=0x1",
  direction: "descending",
  block: 19000000,
  returnedIds: ["0xab:7", "0xab:7"],
  maxPageLength: 100,
  limit: null
})

const text = FastCheck.string({ unit: "grapheme" })

const cursors = FastCheck.record({
  operation: text,
  parameters: text,
  direction: FastCheck.constantFrom("ascending" as const, "descending" as const),
  block: FastCheck.maxSafeNat(),
  returnedIds: FastCheck.array(text, { maxLength: 5 }),
  maxPageLength: FastCheck.maxSafeNat(),
  limit: FastCheck.option(FastCheck.maxSafeNat())
}).map((members) => new ResumeCursor(members))

describe("Cursor", () => {
  it.each([
    ["eyJhbGciOiJIUzI1NiJ9.abc-_", "eyJhbGciOiJIUzI1NiJ9.abc-_"],
    ["", ""],
    [" a+b&c=%20 ", " a+b&c=%20 "],
    ["👩‍👩‍👧", "👩‍👩‍👧"],
    [42, "42"],
    [0, "0"],
    ["12345678901234567890", "12345678901234567890"]
  ])("reads %j as %j and sends it back so", (input, cursor) => {
    expect(decode(Cursor, input)).toBe(cursor)
    expect(encode(Cursor, cursor)).toBe(cursor)
  })

  it.each([null, true, [], {}, undefined])("refuses %j", (input) => {
    expect(isDecodable(Cursor, input)).toBe(false)
  })
})

describe("a cursor of a walk", () => {
  it("is read back from its text, which is marked and needs no escaping in a URL", () => {
    FastCheck.assert(
      FastCheck.property(cursors, (cursor) => {
        const written = formatResumeCursor(cursor)
        expect(isResumeCursor(written)).toBe(true)
        expect(encodeURIComponent(written)).toBe(written)
        expect(parseResumeCursor(written)).toEqual(Either.right(cursor))
      }),
      { numRuns: 100 }
    )
  })

  it("is refused with what to do when its end was cut off, wherever that is", () => {
    const written = formatResumeCursor(example)
    for (let length = 0; length < written.length; length++) {
      expect(parseResumeCursor(written.slice(0, length))).toEqual(damaged)
    }
  })

  it.each([
    ["other text", "quarry-walk-1.abcdef"],
    ["nothing after the mark", "quarry-walk-1."],
    ["no base64", "quarry-walk-1.!!!!"],
    ["JSON of another shape", `quarry-walk-1.${Encoding.encodeBase64Url("{\"block\":1}")}`],
    ["JSON that is no object", `quarry-walk-1.${Encoding.encodeBase64Url("null")}`],
    ["a block that is none", formatted({ block: -1 })],
    ["a direction that is none", formatted({ direction: "sideways" })],
    ["the same without its mark", formatResumeCursor(example).slice("quarry-walk-1.".length)],
    [
      "another mark of the same length",
      formatResumeCursor(example).replace("quarry-walk-1.", "quarry-walk-2.")
    ]
  ])("is refused when it has %s", (_, written) => {
    expect(parseResumeCursor(written)).toEqual(damaged)
  })

  it.each([
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJvcmRlciI6IkRFU0MifQ.abc",
    "",
    "quarry-walk-",
    " quarry-walk-1.",
    "42"
  ])("is not the service's cursor %j", (cursor) => {
    expect(isResumeCursor(cursor)).toBe(false)
    expect(parseResumeCursor(cursor)).toEqual(damaged)
  })
})

/** The example with members replaced behind the schema's back. */
function formatted(members: object): string {
  return `quarry-walk-1.${Encoding.encodeBase64Url(JSON.stringify({ ...example, ...members }))}`
}
