/**
 * Comma-separated values as in RFC 4180: a header, one line per record, CRLF after each line.
 *
 * The columns follow from the schema of the operation, so they are the same for every page. Objects become one column per
 * field, arrays are JSON text, missing values are empty, and amounts keep all digits.
 */
import { toJson } from "../text/Json.ts"
import { withoutControls } from "../text/Sanitize.ts"
import { type RecordField, valueAt } from "./RecordFields.ts"
import type { RecordFormat } from "./RecordFormat.ts"

export interface CsvOptions {
  /** Whether text that a spreadsheet takes for a formula is prefixed with an apostrophe. */
  readonly escapeFormulas: boolean
  /** Whether control characters are removed from text, because a terminal interprets them. */
  readonly isTerminal: boolean
}

/** Kinds of fields whose text comes from the chain or from users. A number may start with a minus sign. */
const textKinds: ReadonlySet<RecordField["kind"]> = new Set(["string", "json"])

/** Some spreadsheets accept the fullwidth signs too. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/

const needsQuotes = /[",\r\n]/

/** Quotes the empty text too, which is not a missing value. */
const quoted = (text: string): string =>
  text === "" || needsQuotes.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text

const cell = (value: unknown, field: RecordField, { escapeFormulas, isTerminal }: CsvOptions): string => {
  if (value === null || value === undefined) return ""
  const whole = typeof value === "object" ? toJson(value) : String(value)
  const text = isTerminal ? withoutControls(whole) : whole
  return quoted(
    escapeFormulas && textKinds.has(field.kind) && formulaStart.test(text) ? `'${text}` : text
  )
}

const row = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

/** Creates the format for the columns of the records. */
export const makeCsv = (fields: ReadonlyArray<RecordField>, options: CsvOptions): RecordFormat => ({
  start: () => row(fields.map(({ path }) => quoted(path.join(".")))),
  records: (records) =>
    records.map((record) => row(fields.map((field) => cell(valueAt(record, field.path), field, options)))),
  end: () => ""
})
