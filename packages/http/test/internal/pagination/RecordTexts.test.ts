/** Tests the texts of records, which `JSON.parse` parses to the same values. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { recordTexts } from "../../../src/internal/pagination/RecordTexts.ts"

const json = FastCheck.jsonValue({ maxDepth: 4 })

/** JSON with white space and line breaks between tokens. */
const spaced = (value: unknown, space: string): string => JSON.stringify(value, null, space)

describe("recordTexts", () => {
  it.prop("extracts every record completely, on one line, in order", {
    records: FastCheck.array(json),
    before: json,
    after: json,
    space: FastCheck.constantFrom("", " ", "\t", "  ")
  }, ({ after, before, records, space }) => {
    const text = spaced({ before, result: records, after }, space)
    const found = recordTexts(text)
    expect(found.map((record) => JSON.parse(record))).toEqual(JSON.parse(JSON.stringify(records)))
    expect(found.join("")).not.toMatch(/[\n\r]/)
  })

  it.prop("does not change the text of compact records", [FastCheck.array(json)], ([records]) => {
    expect(recordTexts(JSON.stringify({ result: records }))).toEqual(
      records.map((record) => JSON.stringify(record))
    )
  })

  it("keeps digits beyond the precision of numbers, and strings that look like structure", () => {
    expect(
      recordTexts(
        "{\"result\":[{\"value\":115792089237316195423570985008687907853269984665640564039457584007913129639935, \"a\":\"],\\\"}{\"},1.50]}"
      )
    )
      .toEqual([
        "{\"value\":115792089237316195423570985008687907853269984665640564039457584007913129639935, \"a\":\"],\\\"}{\"}",
        "1.50"
      ])
  })

  it("uses the last of several members with the name, however it is escaped", () => {
    expect(recordTexts("{\"result\":[1],\"\\u0072esult\":[2,3]}")).toEqual(["2", "3"])
    expect(recordTexts("{\"result\":[1],\"result\":null}")).toEqual([])
  })

  it("returns no records if there is no list", () => {
    expect(["null", "[1]", "{}", "{\"a\":[1]}", "{\"result\":{}}", "{\"result\":[]}", "3"].map(recordTexts))
      .toEqual([[], [], [], [], [], [], []])
  })
})
