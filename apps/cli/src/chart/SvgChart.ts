/** Draws a chart as SVG: self-contained, with a description for screen readers, in light and dark colors. */
import { sanitize } from "../text/Sanitize.ts"
import type { Chart } from "./Chart.ts"
import { type ChartLayout, layoutChart, type PlacedPanel } from "./ChartLayout.ts"

/** Columns of the layout. All sizes are in pixels. */
const columns = 128
const columnWidth = 7.4
const fontSize = 12
const rowHeight = 20
const barHeight = 12
const margin = 20
const panelGap = 16

/** From the top of a row to the base line of its text. */
const baseline = 14

/** Characters that XML does not allow, besides those that `sanitize` removes. */
const invalidCharacters = /[\ufffe\uffff]/g

/** Returns the text as content or attribute value of XML. */
const escape = (text: string): string =>
  sanitize(text).toWellFormed().replace(invalidCharacters, "")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** With one decimal: smaller differences are invisible. */
const round = (pixels: number): number => Math.round(pixels * 10) / 10

const toX = (column: number): number => round(margin + column * columnWidth)

const textAt = (x: number, y: number, text: string, attributes = ""): string =>
  `<text x="${x}" y="${round(y)}"${attributes}>${escape(text)}</text>`

const styled = (style: "title" | "name" | "note"): string => ` class="${style}"`

/** Colors without variables, which some programs that convert SVG do not support. */
const styleSheet = `
.quarry-chart { color-scheme: light dark }
.quarry-chart text { fill: #1f2328; font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.quarry-chart .title { font-size: 15px }
.quarry-chart .title, .quarry-chart .name { font-weight: bold }
.quarry-chart .note { fill: #59636e }
.quarry-chart .background { fill: #ffffff }
.quarry-chart .bar { fill: #0969da }
.quarry-chart .line { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  .quarry-chart text { fill: #f0f6fc }
  .quarry-chart .note { fill: #9198a1 }
  .quarry-chart .background { fill: #0d1117 }
  .quarry-chart .bar { fill: #4493f8 }
  .quarry-chart .line { stroke: #3d444d }
}
`

const drawPanel = (
  panel: PlacedPanel,
  labels: ReadonlyArray<string>,
  top: number
): ReadonlyArray<string> => {
  const rows = top + rowHeight
  const bottom = rows + labels.length * rowHeight
  const barX = (position: number) => toX(panel.barStart + position * panel.barWidth)
  return [
    textAt(toX(panel.textStart), top + baseline, panel.name, styled("name")),
    `<line class="line" x1="${barX(0)}" y1="${rows}" x2="${barX(0)}" y2="${bottom}"/>`,
    ...panel.bars.flatMap(({ exactText, range, text }, row) => {
      const y = rows + row * rowHeight
      const value = textAt(toX(panel.textStart + panel.textWidth), y + baseline, text, ` text-anchor="end"`)
      if (range === null) return [value]
      // A bar is never narrower than a visible line, and stays on the axis
      const size = Math.max(1, round(barX(range.end) - barX(range.start)))
      const x = round(Math.min(barX(range.start), barX(1) - size))
      const hint = `${labels[row] ?? ""}: ${exactText} ${panel.name}`
      return [
        value,
        `<rect class="bar" x="${x}" y="${
          round(y + (rowHeight - barHeight) / 2)
        }" width="${size}" height="${barHeight}"><title>${escape(hint)}</title></rect>`
      ]
    })
  ]
}

/** Returns all values as text. */
const describe = ({ labels, lines, notes }: ChartLayout): string =>
  [
    ...notes,
    ...labels.map((label, row) =>
      `${label}: ${
        lines.flat().map(({ bars, name }) => `${bars[row]?.exactText ?? ""} ${name}`)
          .join(", ")
      }.`
    )
  ].join(" ")

export const drawSvg = (chart: Chart): string => {
  const layout = layoutChart(chart, columns)
  const { labels, lines, notes, title } = layout
  const parts: Array<string> = []
  let y = margin
  for (const text of title) {
    parts.push(textAt(margin, y + baseline, text, styled("title")))
    y += rowHeight
  }
  for (const panels of lines) {
    y += panelGap
    parts.push(
      ...labels.map((label, row) => textAt(margin, y + (row + 1) * rowHeight + baseline, label)),
      ...panels.flatMap((panel) => drawPanel(panel, labels, y))
    )
    y += (labels.length + 1) * rowHeight
  }
  y += panelGap
  for (const text of notes) {
    parts.push(textAt(margin, y + baseline, text, styled("note")))
    y += rowHeight
  }
  const size = { width: Math.ceil(columns * columnWidth + 2 * margin), height: Math.ceil(y + margin) }
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" class="quarry-chart" role="img" aria-labelledby="quarry-chart-title quarry-chart-description" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">
<title id="quarry-chart-title">${escape(title.join(" "))}</title>
<desc id="quarry-chart-description">${escape(describe(layout))}</desc>
<style>${styleSheet}</style>
<rect class="background" width="100%" height="100%"/>
${parts.join("\n")}
</svg>
`
}
