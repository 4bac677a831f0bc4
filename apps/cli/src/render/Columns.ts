import { formatDecimal } from "@blockquarry/core/Decimal"
import type * as BigDecimal from "effect/BigDecimal"
import type * as DateTime from "effect/DateTime"
import { formatPercent } from "./ShortNumber.ts"
import type { Column } from "./Table.ts"
import { dateWidth, formatTime } from "./Time.ts"
import type { View } from "./View.ts"

type ColumnOptions<A> = Pick<Column<A>, "dropOrder" | "isOptional" | "only" | "style">

const columnOf = (kind: Column<never>["kind"]) =>
<A>(
  header: string,
  value: (record: A, view: View) => number | bigint | string | null,
  options: ColumnOptions<A> = {}
): Column<A> => ({ header, kind, cell: (record, view) => String(value(record, view) ?? ""), ...options })

/** Creates a column of hashes or other identifiers, which are shortened in the middle. */
export const idColumn = columnOf("id")

export const textColumn = columnOf("text")

/** Creates a column of exact numbers. */
export const numberColumn = columnOf("number")

/** An address, and what the upstream knows about it. */
export interface NamedAddress {
  readonly address: string | null
  readonly label?: string | null
  readonly entity?: string | null
}

/** Creates a column of addresses with their names: from the address book, or else from the upstream. */
export const addressColumn = <A>(
  header: string,
  value: (record: A, view: View) => NamedAddress,
  options: ColumnOptions<A> = {}
): Column<A> => ({
  ...idColumn(header, (record, view) => value(record, view).address, options),
  name: (record, view) => {
    const { address, entity, label } = value(record, view)
    return (address === null ? null : view.aliasOf(address)) ?? label ?? entity ?? null
  }
})

export const decimalColumn = <A>(
  header: string,
  value: (record: A) => BigDecimal.BigDecimal | null,
  options: ColumnOptions<A> = {}
): Column<A> =>
  numberColumn(header, (record) => {
    const decimal = value(record)
    return decimal === null ? null : formatDecimal(decimal)
  }, options)

/** Creates a column of percentages: with two decimals, or exact in a wide table. */
export const percentColumn = <A>(
  header: string,
  value: (record: A) => BigDecimal.BigDecimal | null
): Column<A> =>
  numberColumn(header, (record, { isWide }) => {
    const percentage = value(record)
    return percentage === null ? null : isWide ? formatDecimal(percentage) : formatPercent(percentage)
  })

/** Creates a column of times: relative to now, or in UTC. */
export const timeColumn = <A>(
  value: (record: A) => DateTime.Utc | null,
  options: ColumnOptions<A> = {},
  header = "time"
): Column<A> => ({
  header,
  kind: "time",
  minWidth: dateWidth,
  cell: (record, view) => {
    const time = value(record)
    return time === null ? "" : formatTime(time, view)
  },
  ...options
})
