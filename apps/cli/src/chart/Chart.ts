/**
 * A picture as plain values: rows with bars. Renderers draw it as text or as SVG.
 *
 * Positions are fractions of an axis, from 0 to 1, because amounts are exact and may exceed every number. Texts are made
 * from the exact values.
 */
import { utcTicks } from "d3-time"

export interface Chart {
  readonly title: string
  /** Label of each row. */
  readonly labels: ReadonlyArray<string>
  /** Panels in groups that have the same axis, so that their bars compare. */
  readonly panels: ReadonlyArray<ReadonlyArray<Panel>>
  /** Sentences below the picture: totals, and what is missing. */
  readonly notes: ReadonlyArray<string>
}

/** Bars of all rows. */
export interface Panel {
  readonly name: string
  /** One bar per row. */
  readonly bars: ReadonlyArray<Bar>
  /** Marks of the axis, from many to few: as many are shown as fit. Empty if bars start at 0 and the texts say it all. */
  readonly ticks: ReadonlyArray<ReadonlyArray<Tick>>
}

/** A bar with its value. */
export interface Bar {
  /** Null for no bar. A bar whose ends are equal is still visible. */
  readonly range: BarRange | null
  readonly text: string
}

export interface BarRange {
  readonly start: number
  readonly end: number
}

export interface Tick {
  readonly position: number
  readonly text: string
}

/** The smallest visible fraction. */
const smallest = 1e-6

/** Returns `value / max` from 0 to 1. A positive value never becomes 0. */
export const fraction = (value: bigint, max: bigint): number =>
  value <= 0n || max <= 0n
    ? 0
    : value >= max
    ? 1
    : Math.max(smallest, Number((value * 1_000_000_000n) / max) / 1e9)

/** Creates a bar that starts at 0. */
export const barTo = (end: number, text: string): Bar => ({ range: end > 0 ? { start: 0, end } : null, text })

const minuteLength = "2024-01-01T00:00".length

/** Formats a UTC time to the minute, or a prefix of it such as `2024-01`. */
export const formatTime = (time: number | Date, length = minuteLength): string =>
  new Date(time).toISOString().slice(0, length).replace("T", " ")

/** Returns the shortest length of `formatTime` that tells all times: years, months, days or minutes. */
const timeLength = (times: ReadonlyArray<Date>): number => {
  const all = (suffix: string) => times.every((time) => time.toISOString().endsWith(suffix))
  return all("-01-01T00:00:00.000Z")
    ? 4
    : all("-01T00:00:00.000Z")
    ? 7
    : all("T00:00:00.000Z")
    ? 10
    : minuteLength
}

/** Approximate numbers of marks. */
const tickCounts = [12, 8, 5, 3, 2]

/** Returns marks at years, months, days or hours. */
export const timeTicks = (start: number, end: number): ReadonlyArray<ReadonlyArray<Tick>> =>
  end <= start ? [] : tickCounts.map((count) => {
    const times = utcTicks(new Date(start), new Date(end), count)
    const length = timeLength(times)
    return times.map((time) => ({
      position: (time.getTime() - start) / (end - start),
      text: formatTime(time, length)
    }))
  })

/** Collects records, and returns their picture. The memory does not depend on the number of records. */
export interface ChartBuilder<in Item> {
  readonly add: (items: ReadonlyArray<Item>) => void
  readonly chart: () => Chart
}

/** Creates a panel of exact values on an axis from 0 to `max`. */
export const valuePanel = (
  name: string,
  values: ReadonlyArray<bigint>,
  max: bigint,
  format: (value: bigint) => string
): Panel => ({
  name,
  ticks: [],
  bars: values.map((value) => barTo(fraction(value, max), format(value)))
})

/** Returns the name of an address in the address book; null if it has none. */
export type AliasOf = (address: string) => string | null

/** Names an address with its alias, if it has one. */
export const nameAddress = (address: string, aliasOf: AliasOf): string => {
  const alias = aliasOf(address)
  return alias === null ? shortId(address) : `${alias} (${shortId(address)})`
}

/** Shortens an address or a hash in the middle. */
export const shortId = (id: string): string => id.length > 13 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id
