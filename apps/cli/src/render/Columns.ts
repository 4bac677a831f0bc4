/** Columns of tables: how each kind of value is shown. */
import { formatUnits } from "@blockquarry/core/Amount"
import { formatDecimal } from "@blockquarry/core/Decimal"
import type * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type { Column } from "./Table.ts"

type ColumnOptions = Pick<Column<never>, "dropOrder">

/** An address or a hash. */
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

/** A number or anything that is written in digits, exactly. */
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

/** An instant in UTC, to the second. */
export const timeColumn = <A>(
  value: (record: A) => DateTime.Utc | null,
  options: ColumnOptions = {},
  header = "time (UTC)"
): Column<A> => ({ header, kind: "fixed", cell: (record) => formatSeconds(value(record)), ...options })

const formatOptionalDecimal = (value: BigDecimal.BigDecimal | null): string =>
  value === null ? "" : formatDecimal(value)

const formatSeconds = (value: DateTime.Utc | null): string =>
  value === null ? "" : DateTime.formatIso(value).replace("T", " ").replace(/\.\d+Z$/, "")

/** No token has more; a contract may claim what it likes, and every decimal is a character. */
const maxDecimals = 255

/** An amount in whole tokens, exactly; in smallest units where the decimals are not known. */
export const formatTokenAmount = (amount: bigint | null, decimals: number | null): string =>
  amount === null
    ? ""
    : decimals !== null && decimals >= 0 && decimals <= maxDecimals
    ? formatUnits(amount, decimals)
    : `${amount} units`
