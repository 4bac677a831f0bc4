/** Creates table columns for each kind of value. */
import { formatUnits } from "@blockquarry/core/Amount"
import { formatDecimal } from "@blockquarry/core/Decimal"
import type * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type { Column } from "./Table.ts"

type ColumnOptions = Pick<Column<never>, "dropOrder">

/** Creates a column of addresses or hashes, which are shortened in the middle. */
export const idColumn = <A>(
  header: string,
  value: (record: A) => string | null,
  options: ColumnOptions = {}
): Column<A> => ({
  header,
  kind: "id",
  cell: (record) => value(record) ?? "",
  ...options
})

export const textColumn = <A>(
  header: string,
  value: (record: A) => string | null,
  options: ColumnOptions = {}
): Column<A> => ({
  header,
  kind: "text",
  cell: (record) => value(record) ?? "",
  ...options
})

/** Creates a column of exact numbers. */
export const numberColumn = <A>(
  header: string,
  value: (record: A) => number | bigint | string | null,
  options: ColumnOptions = {}
): Column<A> => ({ header, kind: "number", cell: (record) => String(value(record) ?? ""), ...options })

export const decimalColumn = <A>(
  header: string,
  value: (record: A) => BigDecimal.BigDecimal | null,
  options: ColumnOptions = {}
): Column<A> => numberColumn(header, (record) => formatOptionalDecimal(value(record)), options)

/** Creates a column of UTC times in seconds. */
export const timeColumn = <A>(
  value: (record: A) => DateTime.Utc | null,
  options: ColumnOptions = {},
  header = "time (UTC)"
): Column<A> => ({ header, kind: "fixed", cell: (record) => formatSeconds(value(record)), ...options })

const formatOptionalDecimal = (value: BigDecimal.BigDecimal | null): string =>
  value === null ? "" : formatDecimal(value)

const formatSeconds = (value: DateTime.Utc | null): string =>
  value === null ? "" : DateTime.formatIso(value).replace("T", " ").replace(/\.\d+Z$/, "")

/** The largest value of `uint8`. A contract may report more, and each decimal adds a character. */
const maxDecimals = 255

/** Formats an exact amount in whole tokens, or as `raw` smallest units if the decimals are unknown. */
export const formatTokenAmount = (amount: bigint | null, decimals: number | null): string =>
  amount === null
    ? ""
    : decimals !== null && decimals >= 0 && decimals <= maxDecimals
    ? formatUnits(amount, decimals)
    : `${amount} (raw)`
