/** Places labels, texts and bars in columns of one character. Both renderers use the same layout. */
import { shortenNumber } from "../render/ShortNumber.ts"
import { sanitize } from "../text/Sanitize.ts"
import { truncateEnd, width, wrapText } from "../text/Width.ts"
import type { Bar, Chart, Panel } from "./Chart.ts"

export interface ChartLayout {
  readonly title: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  /** Panels from top to bottom; those in one line are beside each other. */
  readonly lines: ReadonlyArray<ReadonlyArray<PlacedPanel>>
  readonly notes: ReadonlyArray<string>
}

export interface PlacedPanel {
  readonly name: string
  readonly bars: ReadonlyArray<PlacedBar>
  /** First column of the texts, which align right. */
  readonly textStart: number
  readonly textWidth: number
  /** First column of the bars. */
  readonly barStart: number
  readonly barWidth: number
}

interface PlacedBar extends Bar {
  /** Of which `text` shows what fits. */
  readonly exactText: string
}

const gap = 2

/** Between panels beside each other. */
const panelGap = 3

const minBarWidth = 10

/** The share of the width for labels, if that is more than the minimum. */
const maxLabelShare = 0.4
const minLabelWidth = 8

const widest = (texts: ReadonlyArray<string>): number =>
  texts.reduce((columns, text) => Math.max(columns, width(text)), 0)

/** Shortens a text to the columns that leave room for a bar. */
const placeBar = ({ range, text }: Bar, available: number, clean: (text: string) => string): PlacedBar => {
  const exactText = clean(text)
  return { range, text: truncateEnd(shortenNumber(exactText, available), available), exactText }
}

/** A panel before its place is known. */
type SizedPanel = Pick<PlacedPanel, "name" | "bars" | "textWidth">

/** Returns the layout for a width. `clean` makes each text safe to show. */
export const layoutChart = (
  chart: Chart,
  columns: number,
  clean: (text: string) => string = sanitize
): ChartLayout => {
  const labels = chart.labels.map(clean)
  const maxLabelWidth = Math.max(minLabelWidth, Math.floor(columns * maxLabelShare))
  const labelWidth = Math.min(widest(labels), maxLabelWidth)
  const start = labelWidth + gap
  const available = columns - start
  const sized = ({ bars, name }: Panel): SizedPanel => {
    const placed = bars.map((bar) => placeBar(bar, Math.max(1, available - minBarWidth - 1), clean))
    const textWidth = widest(placed.map(({ text }) => text))
    return { name: clean(name), bars: placed, textWidth }
  }
  /** Returns the columns of each bar if the panels are beside each other. */
  const barWidthOf = (panels: ReadonlyArray<SizedPanel>): number => {
    const texts = panels.reduce((sum, { textWidth }) => sum + textWidth + 1, 0)
    return Math.floor((available - texts - panelGap * (panels.length - 1)) / panels.length)
  }
  const placeLine = (panels: ReadonlyArray<SizedPanel>, barWidth: number): ReadonlyArray<PlacedPanel> => {
    let column = start
    return panels.map((panel) => {
      const textStart = column
      const barStart = textStart + panel.textWidth + 1
      column = barStart + barWidth + panelGap
      return { ...panel, textStart, barStart, barWidth }
    })
  }
  /** Places panels on one line if their bars have enough columns there. All bars have the same axis. */
  const placeGroup = (panels: ReadonlyArray<SizedPanel>): ReadonlyArray<ReadonlyArray<PlacedPanel>> => {
    const barWidth = barWidthOf(panels)
    if (barWidth >= minBarWidth) return [placeLine(panels, barWidth)]
    const narrowest = Math.min(...panels.map((panel) => barWidthOf([panel])))
    return panels.map((panel) => placeLine([panel], Math.max(1, narrowest)))
  }
  const groups = chart.panels.map((panels) => panels.map(sized))
  const barWidth = barWidthOf(groups.flat())
  return {
    title: wrapText(clean(chart.title), columns),
    labels: labels.map((label) => truncateEnd(label, labelWidth)),
    lines: labels.length === 0
      ? []
      : barWidth >= minBarWidth
      ? [placeLine(groups.flat(), barWidth)]
      : groups.flatMap(placeGroup),
    notes: chart.notes.flatMap((note) => wrapText(clean(note), columns))
  }
}
