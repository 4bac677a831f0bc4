/** Pictures fit, are true to their values, and are safe for terminals and browsers. */
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as fc from "effect/FastCheck"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { type Chart, valuePanel } from "../../src/chart/Chart.ts"
import { layoutChart } from "../../src/chart/ChartLayout.ts"
import { drawSvg } from "../../src/chart/SvgChart.ts"
import { drawText } from "../../src/chart/TextChart.ts"
import type { CharacterSet } from "../../src/terminal/CharacterSet.ts"
import { sanitize } from "../../src/text/Sanitize.ts"
import { width } from "../../src/text/Width.ts"

const characterSets: ReadonlyArray<CharacterSet> = ["unicode", "ascii"]

const draw = (chart: Chart, columns: number, characters: CharacterSet = "unicode"): string =>
  drawText(chart, columns, characters, { isTerminal: true, hasColors: false, columns })

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n")

/** Text of a response: control characters, wide and right-to-left characters, lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "\u001b[31mred",
    "日本語ウォレット",
    "שלום עולם",
    "\u202eevil",
    "\ud800",
    "a\nb",
    "<b>&\"'",
    "👩‍👩‍👧",
    "e\u0301\uffff\ufffe"
  )
)

const position = fc.double({ min: 0, max: 1, noNaN: true })

const anyBar = fc.oneof(
  fc.record({ range: fc.constant(null), text }),
  fc.tuple(position, position, text).map(([one, other, text]) => ({
    range: { start: Math.min(one, other), end: Math.max(one, other) },
    text
  })),
  fc.tuple(position, fc.bigInt({ min: 0n, max: 10n ** 90n })).map(([end, value]) => ({
    range: { start: 0, end },
    text: String(value)
  }))
)

const anyChart: fc.Arbitrary<Chart> = fc.integer({ min: 0, max: 12 }).chain((rows) =>
  fc.record({
    title: text,
    labels: fc.array(text, { minLength: rows, maxLength: rows }),
    panels: fc.array(
      fc.array(
        fc.record({ name: text, bars: fc.array(anyBar, { minLength: rows, maxLength: rows }) }),
        { minLength: 1, maxLength: 3 }
      ),
      { minLength: 1, maxLength: 3 }
    ),
    notes: fc.array(text, { maxLength: 3 })
  })
)

/** Returns the lengths of the only bars of a chart, in parts of which a cell has `parts.length`. */
const barLengths = (chart: Chart, columns: number, characters: CharacterSet, parts: string) => {
  const { barStart: start = 0, barWidth = 0 } = layoutChart(chart, columns).lines[0]?.[0] ?? {}
  const rows = linesOf(draw(chart, columns, characters)).slice(3, 3 + chart.labels.length)
  return {
    max: barWidth * parts.length,
    lengths: rows.map((row) => [...row.slice(start)].reduce((sum, cell) => sum + parts.indexOf(cell) + 1, 0))
  }
}

const chartOf = (values: ReadonlyArray<bigint>): Chart => ({
  title: "values",
  labels: values.map((_, index) => `row ${index}`),
  panels: [[valuePanel("value", values.map((value) => [BigDecimal.make(value, 0), String(value)]))]],
  notes: []
})

describe("text", () => {
  it("never exceeds the width, contains no control characters, and ASCII only where a locale has no UTF-8", () => {
    fc.assert(fc.property(
      anyChart,
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(...characterSets),
      (chart, columns, characters) => {
        const drawn = draw(chart, columns, characters)
        for (const line of linesOf(drawn)) {
          expect(width(line)).toBeLessThanOrEqual(columns)
          expect(sanitize(line)).toBe(line)
        }
        if (characters === "ascii") expect(drawn).toMatch(/^[\x20-\x7e\n]*$/)
      }
    ))
  })

  it.each([["unicode", "▏▎▍▌▋▊▉█"], ["ascii", "#"]] as const)(
    "draws %s bars in proportion to exact values, longer ones for larger values",
    (characters, parts) => {
      fc.assert(fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 60, max: 200 }),
        (values, columns) => {
          const { lengths, max } = barLengths(chartOf(values), columns, characters, parts)
          const largest = values.reduce((one, other) => one > other ? one : other, 0n)
          for (const [index, value] of values.entries()) {
            const exact = largest === 0n ? 0 : Number((value * 1_000_000n) / largest) / 1e6 * max
            expect(Math.abs((lengths[index] ?? -1) - exact)).toBeLessThanOrEqual(1)
            expect((lengths[index] ?? -1) > 0).toBe(value > 0n)
          }
          const sorted = [...values.keys()].sort((a, b) => Number((values[a] ?? 0n) - (values[b] ?? 0n)))
          const ascending = sorted.map((index) => lengths[index] ?? -1)
          expect(ascending).toEqual([...ascending].sort((a, b) => a - b))
        }
      ))
    }
  )

  it("gives all bars of one axis the same length, and lines of at most the width", () => {
    fc.assert(fc.property(anyChart, fc.integer({ min: 40, max: 200 }), (chart, columns) => {
      const { lines } = layoutChart(chart, columns)
      const widths = lines.flat().map(({ barWidth }) => barWidth)
      const groups = chart.panels.map(({ length }) => length)
      let index = 0
      for (const length of chart.labels.length === 0 ? [] : groups) {
        expect(new Set(widths.slice(index, index + length)).size).toBe(1)
        index += length
      }
      expect(widths.length).toBe(index)
    }))
  })

  it("styles only with colors", () => {
    const stream = { isTerminal: true, hasColors: true, columns: 60 }
    expect(drawText(chartOf([1n]), 60, "unicode", stream)).toContain("\u001b[1mvalues\u001b[22m")
    expect(draw(chartOf([1n]), 60)).not.toContain("\u001b")
  })
})

describe("SVG", () => {
  const parser = new XMLParser({ ignoreAttributes: false, trimValues: false })

  it("is a well-formed document without scripts and references for any text", () => {
    fc.assert(fc.property(anyChart, (chart) => {
      const svg = drawSvg(chart)
      expect(XMLValidator.validate(svg)).toBe(true)
      expect(svg.isWellFormed()).toBe(true)
      expect(svg).toContain("@media (prefers-color-scheme: dark)")
      expect(linesOf(svg).filter((line) => sanitize(line) !== line || /[\ufffe\uffff]/.test(line))).toEqual(
        []
      )
      expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(
        /<script|href|https?:|url\(|@import|<!/i
      )
      expect(svg).not.toMatch(/NaN|Infinity|undefined|null/)
    }))
  })

  it("has a title, and a description with all exact values", () => {
    const { svg } = parser.parse(drawSvg(chartOf([2n ** 256n - 1n, 5n])))
    expect(svg.title["#text"]).toBe("values")
    expect(svg.desc["#text"]).toBe(`row 0: ${2n ** 256n - 1n} value. row 1: 5 value.`)
    expect(svg["@_role"]).toBe("img")
    expect(svg["@_aria-labelledby"].split(" ")).toEqual([svg.title["@_id"], svg.desc["@_id"]])
  })
})
