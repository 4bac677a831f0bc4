/** Places labels, texts and bars in columns of one character. Both renderers use the same layout. */
import { sanitize } from "../render/Sanitize.ts"
import { shortenNumber } from "../render/ShortNumber.ts"
import { truncateEnd, width } from "../render/Width.ts"
import type { Bar, BarRange, Chart, Tick } from "./Chart.ts"

export interface ChartLayout {
  /** Lines of the title. */
  readonly title: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  /** Panels from top to bottom; those in one group are beside each other. */
  readonly groups: ReadonlyArray<ReadonlyArray<PlacedPanel>>
  /** Equal for all panels, so that their bars compare. */
  readonly barWidth: number
  /** Lines of the notes. */
  readonly notes: ReadonlyArray<string>
}

export interface PlacedPanel {
  readonly name: string
  /** Marks whose texts do not overlap. */
  readonly ticks: ReadonlyArray<Tick>
  readonly bars: ReadonlyArray<PlacedBar>
  /** First column of the texts, which align right. */
  readonly textStart: number
  readonly textWidth: number
  /** First column of the bars. */
  readonly barStart: number
}

export interface PlacedBar {
  readonly range: BarRange | null
  readonly text: string
  /** The exact text if `text` is shorter; null if they are equal. */
  readonly exactText: string | null
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

/** Breaks a sentence into lines. */
const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && width(longer) > columns) lines.push(line)
    line = line !== "" && width(longer) > columns ? word : longer
  }
  return [...lines, line].map((line) => truncateEnd(line, columns))
}

/** Returns the column of a position on an axis. */
export const columnOf = (position: number, columns: number): number =>
  Math.min(columns - 1, Math.max(0, Math.floor(position * columns)))

/** Returns the most marks whose texts neither overlap nor exceed the axis. */
const fitTicks = (choices: ReadonlyArray<ReadonlyArray<Tick>>, columns: number): ReadonlyArray<Tick> =>
  choices.find((ticks) => {
    let free = 0
    return ticks.every(({ position, text }) => {
      const column = columnOf(position, columns)
      const fits = column >= free && column + width(text) <= columns
      free = column + width(text) + 1
      return fits
    })
  }) ?? []

/** Shortens a text to the columns that leave room for a bar. */
const placeBar = ({ range, text }: Bar, available: number, clean: (text: string) => string): PlacedBar => {
  const exact = clean(text)
  const shown = truncateEnd(shortenNumber(exact, available), available)
  return { range, text: shown, exactText: shown === exact ? null : exact }
}

/**
 * Returns the layout for a width. Panels are placed beside each other if their bars get enough columns. `clean` makes
 * each text safe to show.
 */
export const layoutChart = (
  chart: Chart,
  columns: number,
  clean: (text: string) => string = sanitize
): ChartLayout => {
  const allLabels = chart.labels.map(clean)
  const labelWidth = Math.min(
    widest(allLabels),
    Math.max(minLabelWidth, Math.floor(columns * maxLabelShare))
  )
  const available = columns - labelWidth - gap
  const panels = chart.panels.map(({ bars, name, ticks }) => {
    const placed = bars.map((bar) => placeBar(bar, Math.max(1, available - minBarWidth - 1), clean))
    return { name: clean(name), ticks, bars: placed, textWidth: widest(placed.map(({ text }) => text)) }
  })
  const textColumns = (group: typeof panels) => group.reduce((sum, { textWidth }) => sum + textWidth + 1, 0)
  const barWidthOf = (group: typeof panels) =>
    Math.floor((available - textColumns(group) - panelGap * (group.length - 1)) / group.length)
  const groupsOf = (size: number) =>
    Array.from(
      { length: Math.ceil(panels.length / size) },
      (_, index) => panels.slice(index * size, (index + 1) * size)
    )
  const narrowest = (size: number) => Math.min(...groupsOf(size).map(barWidthOf))
  const sizes = panels.map((_, index) => panels.length - index).filter((size) => panels.length % size === 0)
  const size = sizes.find((size) => narrowest(size) >= minBarWidth) ?? 1
  const barWidth = panels.length === 0 ? 0 : Math.max(1, narrowest(size))
  return {
    title: wrap(clean(chart.title), columns),
    labels: allLabels.map((label) => truncateEnd(label, labelWidth)),
    groups: groupsOf(size).map((group) => {
      let column = labelWidth + gap
      return group.map((panel) => {
        const textStart = column
        const barStart = textStart + (panel.textWidth === 0 ? 0 : panel.textWidth + 1)
        column = textStart + panel.textWidth + 1 + barWidth + panelGap
        return { ...panel, ticks: fitTicks(panel.ticks, barWidth), textStart, barStart }
      })
    }),
    barWidth,
    notes: chart.notes.flatMap((note) => wrap(clean(note), columns))
  }
}
