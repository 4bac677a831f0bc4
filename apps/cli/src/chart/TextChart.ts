/** Draws a chart with characters. */
import type { CharacterSet } from "../terminal/CharacterSet.ts"
import { type StreamInfo, styled, type TextStyle } from "../terminal/StreamInfo.ts"
import { sanitize } from "../text/Sanitize.ts"
import { padEnd, padStart, truncateEnd } from "../text/Width.ts"
import type { BarRange, Chart } from "./Chart.ts"
import { layoutChart, type PlacedPanel } from "./ChartLayout.ts"

/** Parts of a cell from the left, in equal steps. The last one is a full cell. */
const cellParts: { readonly [C in CharacterSet]: string } = { unicode: "▏▎▍▌▋▊▉█", ascii: "#" }

/** Replaces what a locale without UTF-8 cannot show. */
const toAscii = (text: string): string =>
  text.replace(/\p{M}/gu, "").replace(/[…≈]/g, "~").replaceAll("–", "-").replace(/[^\x20-\x7e]/gu, "?")

/** Draws a bar. A positive length has at least one part of a cell. */
const drawBar = (range: BarRange | null, columns: number, parts: string): string => {
  if (range === null) return ""
  const { end, start } = range
  // The left half of a cell cannot be empty, so a bar begins at a whole cell
  const first = Math.min(columns - 1, Math.floor(start * columns))
  const filled = Math.max(1, Math.round((end * columns - first) * parts.length))
  const cells = Math.min(filled, (columns - first) * parts.length)
  const rest = cells % parts.length
  return " ".repeat(first) + parts.slice(-1).repeat(Math.floor(cells / parts.length)) +
    (rest === 0 ? "" : parts.charAt(rest - 1))
}

/** Joins texts, each at its first column. */
const atColumns = (cells: ReadonlyArray<readonly [column: number, text: string]>): string =>
  cells.reduce((line, [column, text]) => padEnd(line, column) + text, "").trimEnd()

const drawPanels = (
  labels: ReadonlyArray<string>,
  panels: ReadonlyArray<PlacedPanel>,
  parts: string
): ReadonlyArray<string> => {
  const names = atColumns(panels.map(({ barWidth, name, textStart, textWidth }) => [
    textStart,
    truncateEnd(name, textWidth + 1 + barWidth)
  ]))
  const rows = labels.map((label, row) =>
    atColumns([
      [0, label],
      ...panels.flatMap(({ barStart, barWidth, bars, textStart, textWidth }) => {
        const { range, text } = bars[row] ?? { range: null, text: "" }
        return [
          [textStart, padStart(text, textWidth)],
          [barStart, drawBar(range, barWidth, parts)]
        ] as const
      })
    ])
  )
  return [names, ...rows]
}

/** Draws the chart with lines of at most `columns` characters. */
export const drawText = (
  chart: Chart,
  columns: number,
  characters: CharacterSet,
  stream: StreamInfo
): string => {
  const clean = characters === "ascii" ? toAscii : (text: string) => text
  const { labels, lines, notes, title } = layoutChart(chart, columns, (text) => clean(sanitize(text)))
  // A cut text ends with an ellipsis
  const finish = (line: string) => clean(truncateEnd(line, columns))
  const block = (lines: ReadonlyArray<string>, style?: TextStyle) =>
    lines.map(finish).map((line) => `${style === undefined ? line : styled(stream, style, line)}\n`).join("")
  return [
    block(title, "bold"),
    ...lines.map((panels) => block(drawPanels(labels, panels, cellParts[characters]))),
    block(notes, "dim")
  ].join("\n")
}
