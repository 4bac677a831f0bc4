/**
 * Text formats of records. Files and stdout use the same ones.
 *
 * CSV is as in RFC 4180: a header, one line per record, CRLF after each line. Its columns follow from the schema of the
 * operation, so they are the same for every page. Objects become one column per field, arrays are JSON text, missing values
 * are empty, and amounts keep all digits.
 */
import { toJson } from "../text/Json.ts"
import { withoutControls } from "../text/Sanitize.ts"
import { type RecordField, valueAt } from "./RecordFields.ts"

/** Formats records one after another. `start` precedes the first record, `end` follows the last one. */
export interface RecordFormat<in Row = unknown> {
  readonly start: () => string
  readonly records: (records: ReadonlyArray<Row>) => ReadonlyArray<string>
  readonly end: () => string
}

const documents = (indent?: number): RecordFormat => ({
  start: () => "",
  records: (records) => records.map((record) => `${toJson(record, indent)}\n`),
  end: () => ""
})

export const ndjson = documents()

export const jsonDocument = documents(2)

/** Creates the format of a JSON array with one record per line. It keeps whether a comma must precede the next record. */
export const makeJson = (): RecordFormat => {
  let separator = "\n"
  return {
    start: () => "[",
    records: (records) =>
      records.map((record) => {
        const text = separator + toJson(record)
        separator = ",\n"
        return text
      }),
    end: () => separator === "\n" ? "]\n" : "\n]\n"
  }
}

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

/** The empty text too, which is not a missing value. Quotes hide the delimiters that readers guess. */
const needsQuotes = /^$|[",;\t\r\n]/

const quoted = (text: string): string => needsQuotes.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text

const row = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

export const makeCsv = (
  fields: ReadonlyArray<RecordField>,
  { escapeFormulas, isTerminal }: CsvOptions
): RecordFormat => {
  const cell = (value: unknown, { kind }: RecordField): string => {
    if (value === null || value === undefined) return ""
    const whole = typeof value === "object" ? toJson(value) : String(value)
    const text = isTerminal ? withoutControls(whole) : whole
    return quoted(escapeFormulas && textKinds.has(kind) && formulaStart.test(text) ? `'${text}` : text)
  }
  return {
    start: () => row(fields.map(({ path }) => quoted(path.join(".")))),
    records: (records) =>
      records.map((record) => row(fields.map((field) => cell(valueAt(record, field.path), field)))),
    end: () => ""
  }
}
