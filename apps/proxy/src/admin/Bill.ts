/** A bill of the upstream in CSV: prices in units per day and, if it has these columns, key and operation. */
import { type Dimension, isDay, type UsageRow } from "@blockquarry/http/UsageStore"
import { parse as parseCsv } from "csv-parse/sync"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const Name = Schema.String.pipe(Schema.pattern(/^[\w.-]{0,64}$/))

/** A time becomes its day. */
const Row = Schema.Struct({
  day: Schema.String.pipe(Schema.filter((text) => isDay(text.slice(0, 10)))),
  key: Schema.optionalWith(Name, { exact: true }),
  operation: Schema.optionalWith(Name, { exact: true }),
  price: Schema.NumberFromString.pipe(Schema.finite())
})

export interface Bill {
  readonly by: ReadonlyArray<Dimension>
  readonly rows: ReadonlyArray<Pick<UsageRow, "day" | "price"> & Partial<UsageRow>>
}

const expected =
  "expected CSV in UTF-8 with a header: the columns day (2026-11-24) and price and, if the bill has them, key and operation " +
  "(rename its columns)"

/** Parses a bill. A left says what is wrong with it. */
export const parse = (text: string): Either.Either<Bill, string> =>
  Either.try({
    try: (): ReadonlyArray<unknown> =>
      parseCsv(text, { bom: true, columns: true, skip_empty_lines: true, trim: true }),
    catch: (error) => `${error instanceof Error ? error.message : String(error)}; ${expected}`
  }).pipe(
    Either.filterOrLeft((records) => records.length > 0, () => `it has no rows; ${expected}`),
    Either.flatMap((records) =>
      Either.all(records.map((record, index) =>
        Schema.decodeUnknownEither(Row)(record).pipe(
          Either.map((row) => ({ ...row, day: row.day.slice(0, 10) })),
          Either.mapLeft((error) => {
            const [name = ""] = ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.path ?? []
            const value = Predicate.hasProperty(record, name) ? JSON.stringify(record[name]) : "missing"
            return `row ${index + 1}: ${String(name)} is ${value}; ${expected}`
          })
        )
      ))
    ),
    Either.map((rows) => ({
      by: ["day", ...(["operation", "key"] as const).filter((name) => rows[0]?.[name] !== undefined)],
      rows
    }))
  )
