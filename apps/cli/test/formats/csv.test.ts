/** CSV that any reader of RFC 4180 reads back. */
import { expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/FastCheck"
import type { RecordField } from "../../src/formats/RecordFields.ts"
import { type CsvOptions, makeCsv } from "../../src/formats/RecordFormat.ts"

const fields: ReadonlyArray<RecordField> = [
  { path: ["name"], kind: "string" },
  { path: ["sale", "price"], kind: "amount" },
  { path: ["tags"], kind: "json" },
  { path: ["change"], kind: "decimal" }
]

const csv = (records: ReadonlyArray<unknown>, options: Partial<CsvOptions> = {}): string => {
  const format = makeCsv(fields, { escapeFormulas: false, isTerminal: false, ...options })
  return [format.start(), ...format.records(records), format.end()].join("")
}

/** Reads CSV as RFC 4180 defines it. An unquoted empty cell is null. */
const parse = (text: string): ReadonlyArray<ReadonlyArray<string | null>> =>
  text.split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/).slice(0, -1).map((line) =>
    line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((cell) =>
      cell === "" ? null : cell.startsWith("\"") ? cell.slice(1, -1).replaceAll("\"\"", "\"") : cell
    )
  )

it("keeps any text, with quotes, commas and line breaks", () => {
  const text = Arbitrary.oneof(
    Arbitrary.string({ unit: "grapheme" }),
    Arbitrary.array(Arbitrary.constantFrom("\"", ",", "\r", "\n", "'", "=", "a")).map((all) => all.join(""))
  )
  Arbitrary.assert(Arbitrary.property(Arbitrary.array(text), (names) => {
    expect(parse(csv(names.map((name) => ({ name })))).slice(1).map(([name]) => name)).toEqual(names)
  }))
})

it("prefixes formulas with an apostrophe on request, but no numbers", () => {
  for (const start of ["=", "+", "-", "@", "\t", "\r", "\n", "＝"]) {
    const name = `${start}1+cmd|' /C calc'!A0`
    expect(parse(csv([{ name }], { escapeFormulas: true }))[1]?.[0]).toBe(`'${name}`)
    expect(parse(csv([{ name }]))[1]?.[0]).toBe(name)
  }
  expect(parse(csv([{ name: "a=1", change: "-1.5" }], { escapeFormulas: true }))[1]).toEqual([
    "a=1",
    null,
    null,
    "-1.5"
  ])
})

it("removes control characters for a terminal only", () => {
  const name = "a\u001b[31m\u009bb\u202ec\n"
  expect(parse(csv([{ name }], { isTerminal: true }))[1]?.[0]).toBe("a[31mbc\n")
  expect(parse(csv([{ name }]))[1]?.[0]).toBe(name)
})
