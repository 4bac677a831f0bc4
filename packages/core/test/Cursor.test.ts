import { formatResumeCursor, isResumeCursor, parseResumeCursor, ResumeCursor } from "@blockquarry/core/Cursor"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as FastCheck from "effect/FastCheck"

const invalid = Either.left("invalid cursor; restart the list without a cursor")

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

describe("ResumeCursor", () => {
  it("survives formatting and parsing, and needs no escaping in a URL", () => {
    FastCheck.assert(
      FastCheck.property(cursors, (cursor) => {
        const formatted = formatResumeCursor(cursor)
        expect(isResumeCursor(formatted)).toBe(true)
        expect(encodeURIComponent(formatted)).toBe(formatted)
        expect(parseResumeCursor(formatted)).toEqual(Either.right(cursor))
      })
    )
  })

  it("rejects a cursor that is truncated at any position", () => {
    const formatted = formatResumeCursor(example)
    for (let length = 0; length < formatted.length; length++) {
      expect(parseResumeCursor(formatted.slice(0, length))).toEqual(invalid)
    }
  })

  it.each([
    "quarry-resume-1.!!!!",
    `quarry-resume-1.${Encoding.encodeBase64Url("null")}`,
    formatWith({ block: -1 }),
    formatWith({ direction: "sideways" }),
    formatResumeCursor(example).replace("quarry-resume-1.", "quarry-resume-2."),
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJvcmRlciI6IkRFU0MifQ.abc"
  ])("rejects %s", (cursor) => {
    expect(parseResumeCursor(cursor)).toEqual(invalid)
    expect(isResumeCursor(cursor)).toBe(cursor.startsWith("quarry-resume-1."))
  })
})

/** The example with other fields, which the schema may not allow. */
function formatWith(members: object): string {
  return `quarry-resume-1.${Encoding.encodeBase64Url(JSON.stringify({ ...example, ...members }))}`
}
