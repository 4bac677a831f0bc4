/**
 * A picture as plain values: rows with bars. Renderers draw it as text or as SVG.
 *
 * Positions are fractions of an axis, from 0 to 1, because amounts are exact and may exceed every number. Texts are made
 * from the exact values.
 */
import * as BigDecimal from "effect/BigDecimal"

export interface Chart {
  readonly title: string
  readonly labels: ReadonlyArray<string>
  /** Panels in groups that have the same axis, so that their bars compare. */
  readonly panels: ReadonlyArray<ReadonlyArray<Panel>>
  /** Sentences below the picture: totals, and what is missing. */
  readonly notes: ReadonlyArray<string>
}

export interface Panel {
  readonly name: string
  /** One bar per row. */
  readonly bars: ReadonlyArray<Bar>
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

/** Collects records, and returns their picture. The memory does not depend on the number of records. */
export interface ChartBuilder<in Item> {
  readonly add: (items: ReadonlyArray<Item>) => void
  readonly chart: () => Chart
}

/** An exact value, and its text. */
export type ChartValue = readonly [value: BigDecimal.BigDecimal, text: string]

export const zero = BigDecimal.make(0n, 0)

export const maxOf = (values: ReadonlyArray<BigDecimal.BigDecimal>): BigDecimal.BigDecimal =>
  values.reduce((one, other) => BigDecimal.max(one, other), zero)

/** The smallest visible fraction. */
const smallest = 1e-6

/** Returns `value / max` from 0 to 1. A positive value never becomes 0. */
const fraction = (value: BigDecimal.BigDecimal, max: BigDecimal.BigDecimal): number => {
  const scale = Math.max(value.scale, max.scale)
  const [part, whole] = [BigDecimal.scale(value, scale).value, BigDecimal.scale(max, scale).value]
  return part >= whole ? 1 : Math.max(smallest, Number((part * 1_000_000_000n) / whole) / 1e9)
}

/** Creates a panel of exact values on an axis from 0 to `max`. */
export const valuePanel = (
  name: string,
  values: ReadonlyArray<ChartValue>,
  max = maxOf(values.map(([value]) => value))
): Panel => ({
  name,
  bars: values.map(([value, text]) => ({
    range: BigDecimal.isPositive(value) ? { start: 0, end: fraction(value, max) } : null,
    text
  }))
})

const minuteLength = "2024-01-01T00:00".length

/** Formats a UTC time to the minute, or a prefix of it such as `2024-01`. */
export const formatTime = (time: number | Date, length = minuteLength): string =>
  new Date(time).toISOString().slice(0, length).replace("T", " ")

/** Returns the name of an address in the address book; null if it has none. */
export type AliasOf = (address: string) => string | null

/** Names an address with its alias, if it has one. */
export const nameAddress = (address: string, aliasOf: AliasOf): string => {
  const alias = aliasOf(address)
  return alias === null ? shortId(address) : `${alias} (${shortId(address)})`
}

/** Shortens an address or a hash in the middle. */
export const shortId = (id: string): string => id.length > 13 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id
