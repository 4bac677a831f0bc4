/** Columns of tables: how each kind of value is shown. */
import { formatUnits } from "@blockquarry/core/Amount"
import { formatDecimal } from "@blockquarry/core/Decimal"
import type * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type { Column } from "./Table.ts"

type Place = Pick<Column<never>, "rank">

/** An address or a hash. */
export const id = <A>(header: string, value: (record: A) => string | null, place: Place = {}): Column<A> => ({
  header,
  kind: "id",
  cell: (record) => value(record) ?? "",
  ...place
})

export const text = <A>(
  header: string,
  value: (record: A) => string | null,
  place: Place = {}
): Column<A> => ({
  header,
  kind: "text",
  cell: (record) => value(record) ?? "",
  ...place
})

/** A number or anything that is written in digits, exactly. */
export const number = <A>(
  header: string,
  value: (record: A) => number | bigint | string | null,
  place: Place = {}
): Column<A> => ({ header, kind: "number", cell: (record) => String(value(record) ?? ""), ...place })

export const decimal = <A>(
  header: string,
  value: (record: A) => BigDecimal.BigDecimal | null,
  place: Place = {}
): Column<A> => number(header, (record) => plain(value(record)), place)

/** An instant in UTC, to the second. */
export const time = <A>(
  value: (record: A) => DateTime.Utc | null,
  place: Place = {},
  header = "time (UTC)"
): Column<A> => ({ header, kind: "fixed", cell: (record) => seconds(value(record)), ...place })

const plain = (value: BigDecimal.BigDecimal | null): string => value === null ? "" : formatDecimal(value)

const seconds = (value: DateTime.Utc | null): string =>
  value === null ? "" : DateTime.formatIso(value).replace("T", " ").replace(/\.\d+Z$/, "")

/** No token has more; a contract may claim what it likes, and every decimal is a character. */
const mostDecimals = 255

/** An amount in whole tokens, exactly; in smallest units where the decimals are not known. */
export const wholeTokens = (amount: bigint | null, decimals: number | null): string =>
  amount === null
    ? ""
    : decimals !== null && decimals >= 0 && decimals <= mostDecimals
    ? formatUnits(amount, decimals)
    : `${amount} units`
