/** Output is safe for a terminal and fits its width. */
import { expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Arbitrary from "effect/FastCheck"
import { stripVTControlCharacters } from "node:util"
import { timeColumn } from "../../src/render/Columns.ts"
import { formatDetails, toLines } from "../../src/render/Details.ts"
import { shortenNumber } from "../../src/render/ShortNumber.ts"
import { type Column, makeTablePrinter } from "../../src/render/Table.ts"
import { formatRelative, formatTime, formatWithAge } from "../../src/render/Time.ts"
import { formatTokenAmount } from "../../src/render/TokenAmount.ts"
import type { View } from "../../src/render/View.ts"
import { toJson } from "../../src/text/Json.ts"
import { sanitize } from "../../src/text/Sanitize.ts"
import { truncateEnd, width, wrapText } from "../../src/text/Width.ts"

const view = (columns: number | null, more: Partial<View> = {}): View => ({
  stream: { isTerminal: columns !== null, hasColors: false, columns },
  isWide: columns === null,
  now: null,
  subject: null,
  aliasOf: () => null,
  ...more
})

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
  ["U\u061cS\u034fD\u200dC\ufe0f\u{e0061}\u115f\u3164\u00ad\u180e", "USDC"],
  ["👩🏽\u200d🚀 ❤\ufe0f 👨\u200d👩\u200d👧", "👩🏽\u200d🚀 ❤\ufe0f 👨\u200d👩\u200d👧"],
  ["back\b\bspace\u007f", "backspace"],
  ["zero\u200bwidth\ufeff", "zerowidth"]
]

const control = /[\p{Cc}\u202a-\u202e]/gu

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
  const record = { name: text, [text]: "field", nested: [{ name: `\u009b31m${text}` }] }
  for (
    const shown of [
      makeTablePrinter(columns, view(40)).page([text]).join(""),
      formatDetails(toLines(record), view(40)),
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
    ["خليج", 4],
    // As terminals draw them: marks that take a column, marks alone, letters of a syllable, symbols that are text
    ["हिन्दी", 5],
    ["தமிழ்", 4],
    ["กำ", 2],
    ["ខ្មែរ", 4],
    ["שָׁלוֹם", 4],
    ["\u05b0", 0],
    ["\u1112\u1161\u11ab", 2],
    ["か\u3099", 2],
    ["Coin©", 5],
    ["Tether™", 7],
    ["©️", 2],
    ["👍🏽", 2],
    ["1️⃣", 2],
    ["Z̷̢̛͙̀a̴l̶g̵o̶", 5]
  ]
  for (const [text, columns] of cases) expect([text, width(text)]).toEqual([text, columns])
  for (const [text] of cases) {
    for (let room = 1; room < 8; room++) {
      expect(width(truncateEnd(text.repeat(4), room))).toBeLessThanOrEqual(room)
    }
  }
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

const rowArbitrary: Arbitrary.Arbitrary<Row> = Arbitrary.record({
  id: Arbitrary.stringMatching(/^0x[0-9a-f]{40,64}$/),
  name: Arbitrary.string({ unit: "grapheme", maxLength: 80 }),
  amount: Arbitrary.tuple(
    Arbitrary.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    Arbitrary.integer({ min: 0, max: 80 })
  )
    .map(([amount, decimals]) => formatTokenAmount(amount, decimals))
})

it("prints lines of at most the width of the terminal, for any records on any page", () => {
  Arbitrary.assert(Arbitrary.property(
    Arbitrary.array(rowArbitrary, { minLength: 1, maxLength: 5 }),
    Arbitrary.array(rowArbitrary, { maxLength: 5 }),
    Arbitrary.integer({ min: 10, max: 220 }),
    Arbitrary.boolean(),
    (first, second, available, hasColors) => {
      const stream = { isTerminal: true, hasColors, columns: available }
      const table = makeTablePrinter(columns, view(available, { stream }), { isStreaming: true })
      const text = [...table.page(first), ...table.page(second)].join("")
      const lines = text.trimEnd().split("\n")
      expect(lines).toHaveLength(1 + first.length + second.length)
      for (const line of lines) expect(width(stripVTControlCharacters(line))).toBeLessThanOrEqual(available)
    }
  ))
})

it("prints whole values outside a terminal and with --wide", () => {
  Arbitrary.assert(Arbitrary.property(rowArbitrary, (row) => {
    for (const each of [view(null), view(60, { isWide: true })]) {
      const table = makeTablePrinter(columns, each)
      const text = table.page([row]).join("")
      expect(text).toContain(row.id)
      expect(text).toContain(row.amount)
      expect(table.omissions()).toBe(null)
    }
  }))
})

it("shortens any number without changing what remains of it", () => {
  Arbitrary.assert(Arbitrary.property(
    Arbitrary.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    Arbitrary.integer({ min: 0, max: 80 }),
    Arbitrary.integer({ min: 9, max: 40 }),
    (amount, decimals, room) => {
      const number = formatTokenAmount(amount, decimals)
      const shown = shortenNumber(number, room)
      expect(shown.length).toBeLessThanOrEqual(Math.max(room, 0))
      const [, digits = "", exponent = "0"] = /^([\d.]+)…?(?:e([+-]\d+))?$/.exec(shown) ?? []
      const value = Number(`${digits}e${exponent}`)
      if (!shown.includes("…")) expect(value).toBe(Number(number))
      // Digits are cut, never rounded, and at least the first one remains
      expect(Number(number)).toBeGreaterThanOrEqual(value * (1 - 1e-12))
      expect(Number(number)).toBeLessThanOrEqual(value * 2)
    }
  ))
})

it("formats times relative to now, in UTC, and as dates if they are far away", () => {
  const now = Date.UTC(2026, 0, 31, 12)
  const ago = (seconds: number) => formatRelative(DateTime.unsafeMake(now - seconds * 1000), now)
  expect([0, 5, 90, 7200, 3 * 86_400, -120].map(ago)).toEqual([
    "now",
    "5 s ago",
    "1 min ago",
    "2 h ago",
    "3 d ago",
    "in 2 min"
  ])
  expect(ago(40 * 86_400)).toBe(null)
  expect(formatTime(DateTime.unsafeMake(now - 40 * 86_400_000), { now })).toBe("2025-12-22 12:00")
  const time = DateTime.unsafeMake(now)
  expect(formatTime(time, { now: null })).toBe("2026-01-31 12:00:00Z")
  expect(formatWithAge(time, { now: now + 3000 }, ".000001")).toBe("2026-01-31 12:00:00.000001Z (3 s ago)")
})

it("shows the time of day of an older record if there is room, otherwise its date", () => {
  const now = Date.UTC(2026, 0, 31, 12)
  const id = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"
  const table = (columns: number) =>
    makeTablePrinter<number>(
      [
        timeColumn((age) => DateTime.unsafeMake(now - age)),
        { header: "id", kind: "id", cell: () => id },
        { header: "other", kind: "id", cell: () => id, dropOrder: 1 }
      ],
      view(columns, { now })
    )
  const old = 40 * 86_400_000
  expect(table(46).page([old]).join("")).toBe(
    "time              id             other\n2025-12-22 12:00  0xba766b…c6b4  0xba766b…c6b4\n"
  )
  expect(table(40).page([old]).join("")).toBe(
    "time        id             other\n2025-12-22  0xba766b…c6b4  0xba766b…c6b4\n"
  )
  // The first page decides about the width
  const streamed = table(80)
  expect(streamed.page([60_000]).join("")).toContain("1 min ago   0xba")
  expect(streamed.page([old]).join("")).toContain("2025-12-22  0xba")
})

it("wraps an image within a record", () => {
  for (const [letter, count] of [["x", 200_000], ["é", 20_000]] as const) {
    const lines = wrapText(`data: ${letter.repeat(count)}`, 80)
    expect([lines.length, new Set(lines).size]).toEqual([1 + Math.ceil(count / 80), 2])
  }
})

it("wraps long values of a record, and loses no character", () => {
  Arbitrary.assert(Arbitrary.property(
    Arbitrary.string({ unit: "grapheme-ascii", maxLength: 300 }),
    Arbitrary.integer({ min: 4, max: 100 }),
    (text, room) => {
      const lines = wrapText(text, room)
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(room)
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""))
    }
  ))
})
