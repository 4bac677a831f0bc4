/** Output is safe for a terminal and fits its width. */
import { expect, it } from "@effect/vitest"
import { formatTokenAmount } from "../src/render/Columns.ts"
import { formatDetails, toLines } from "../src/render/Details.ts"
import { toJson } from "../src/render/Json.ts"
import { sanitize } from "../src/render/Sanitize.ts"
import { bodyLines, type Column, computeLayout, formatTable } from "../src/render/Table.ts"
import { truncateEnd, truncateMiddle, width } from "../src/render/Width.ts"

const hostile: ReadonlyArray<readonly [text: string, shown: string]> = [
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007name", "name"],
  ["\u001b]8;;http://evil.invalid\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001b]52;c;c2VjcmV0\u0007copied", "copied"],
  ["\u001b]0;never ended", ""],
  ["\u009b2Jcleared", "cleared"],
  ["a\rb\nc\td", "a b c d"],
  ["\u001bcreset", "reset"],
  ["\u202eevil\u202c", "evil"],
  ["back\b\bspace\u007f", "backspace"],
  ["zero\u200bwidth\ufeff", "zerowidth"]
]

// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const control = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/g

it("removes all control sequences", () => {
  for (const [text, shown] of hostile) expect(sanitize(text)).toBe(shown)
  for (let code = 0; code < 0x300; code++) {
    const character = String.fromCharCode(code)
    for (const text of [character, `\u001b${character}x`, `\u001b[${character}m`, `\u009d${character}`]) {
      expect(sanitize(text)).not.toMatch(control)
    }
  }
})

it("prints no control sequences of untrusted names in tables, details and JSON", () => {
  const [text] = hostile[3] ?? [""]
  const columns: ReadonlyArray<Column<string>> = [{ header: "name", kind: "text", cell: (name) => name }]
  const stream = { isTerminal: true, hasColors: false, columns: 40 }
  const record = { name: text, [text]: "field", nested: [{ name: `\u009b31m${text}` }] }
  for (
    const shown of [
      formatTable(columns, [text], stream),
      formatDetails(toLines(record), stream),
      toJson(record),
      toJson(record, 2)
    ]
  ) {
    expect(shown.replaceAll("\n", "")).toBe(shown.replace(control, ""))
  }
  expect(JSON.parse(toJson(record))).toEqual(record)
})

it("measures wide characters, emoji and combining marks", () => {
  const cases: ReadonlyArray<readonly [string, number]> = [
    ["abc", 3],
    ["花崗岩", 6],
    ["ｱｲｳ", 3],
    ["한국", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["🦊", 2],
    ["👩‍👩‍👧", 2],
    ["🇫🇷", 2],
    ["❤️", 2],
    ["Ａ", 2],
    ["خليج", 4]
  ]
  for (const [text, columns] of cases) expect([text, width(text)]).toEqual([text, columns])
  for (const [text] of cases) {
    for (let room = 1; room < 8; room++) {
      expect(width(truncateEnd(text.repeat(4), room))).toBeLessThanOrEqual(room)
    }
  }
})

it("truncates an ID in the middle", () => {
  const id = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"
  expect(truncateMiddle(id, 13)).toBe("0xba766b…c6b4")
  expect(truncateMiddle(id, 42)).toBe(id)
})

interface Row {
  readonly id: string
  readonly name: string
  readonly amount: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { header: "id", kind: "id", cell: ({ id }) => id },
  { header: "name", kind: "text", cell: ({ name }) => name },
  { header: "amount", kind: "number", cell: ({ amount }) => amount },
  { header: "again", kind: "id", cell: ({ id }) => id, dropOrder: 1 }
]

it("fits every width without truncating numbers", () => {
  const all: ReadonlyArray<Row> = [
    {
      id: `0x${"a1".repeat(32)}`,
      name: "花崗岩 with a long name that is truncated",
      amount: "123456789.000000000000000001"
    },
    { id: `0x${"b2".repeat(32)}`, name: "🦊", amount: "1" }
  ]
  for (const available of [60, 80, 100, 140, 200]) {
    const text = bodyLines(computeLayout(columns, all, available), all)
    for (const line of text.trimEnd().split("\n")) expect(width(line)).toBeLessThanOrEqual(available)
    expect(text).toContain("123456789.000000000000000001")
  }
  expect(bodyLines(computeLayout(columns, all, null), all)).toContain(all[0]?.id)
  expect(bodyLines(computeLayout(columns, all, null), all)).toContain(all[0]?.name)
})

it("formats exact amounts in whole tokens for any reported decimals", () => {
  expect(formatTokenAmount(1500000000000000001n, 18)).toBe("1.500000000000000001")
  expect(formatTokenAmount(2n ** 256n - 1n, 0)).toBe((2n ** 256n - 1n).toString())
  expect(formatTokenAmount(5n, null)).toBe("5 (raw)")
  expect(formatTokenAmount(5n, 1_000_000_000)).toBe("5 (raw)")
  expect(formatTokenAmount(5n, -3)).toBe("5 (raw)")
  expect(formatTokenAmount(null, 18)).toBe("")
})
