/** A page's records, cut from its text, are what `JSON.parse` reads there. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { recordTexts } from "../../../src/internal/pagination/RecordTexts.ts"

const json = FastCheck.jsonValue({ maxDepth: 4 })

/** White space between any two parts of a text, line breaks too. */
const spread = (value: unknown, space: string): string => JSON.stringify(value, null, space)

describe("recordTexts", () => {
  it.prop("cuts every record out whole, on one line, in order", {
    records: FastCheck.array(json),
    before: json,
    after: json,
    space: FastCheck.constantFrom("", " ", "\t", "  ")
  }, ({ after, before, records, space }) => {
    const text = spread({ before, result: records, after }, space)
    const found = recordTexts(text)
    expect(found.map((record) => JSON.parse(record))).toEqual(JSON.parse(JSON.stringify(records)))
    expect(found.join("")).not.toMatch(/[\n\r]/)
  })

  it.prop("leaves the text of compact records as it is", [FastCheck.array(json)], ([records]) => {
    expect(recordTexts(JSON.stringify({ result: records }))).toEqual(
      records.map((record) => JSON.stringify(record))
    )
  })

  it("keeps digits that a number would lose, and strings that look like structure", () => {
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

  it("takes the last of several members of the name, however it is written", () => {
    expect(recordTexts("{\"result\":[1],\"\\u0072esult\":[2,3]}")).toEqual(["2", "3"])
    expect(recordTexts("{\"result\":[1],\"result\":null}")).toEqual([])
  })

  it("finds nothing where there is no list", () => {
    expect(["null", "[1]", "{}", "{\"a\":[1]}", "{\"result\":{}}", "{\"result\":[]}", "3"].map(recordTexts))
      .toEqual([[], [], [], [], [], [], []])
  })
})
