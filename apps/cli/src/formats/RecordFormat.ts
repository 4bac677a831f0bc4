/**
 * Text formats of records, which files and stdout have in common, and the formats of files: parts one after another, and an
 * end that depends on all parts.
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

const formatsByExtension = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
  ".parquet": "parquet"
} as const

export const fileExtensions = Object.keys(formatsByExtension).join(", ")

/** Returns the format that the extension of a file selects; undefined for another extension. */
export const formatOfFile = (file: string) =>
  Object.entries(formatsByExtension).find(([extension]) => file.toLowerCase().endsWith(extension))?.[1]

export interface FileFormat {
  /** Starts the part at an offset of the file. The part at offset 0 contains what precedes the records. */
  readonly startPart: (offset: number) => PartEncoder
  /** Returns the bytes after the last part. `footers` are those of all parts, in order. */
  readonly end: (footers: ReadonlyArray<string | null>, offset: number) => Uint8Array
}

/** Encodes the records of one part. The bytes depend on the records only, not on how they arrive. */
export interface PartEncoder {
  readonly add: (records: ReadonlyArray<unknown>) => Uint8Array
  /** Returns the records that have no bytes yet, because the part encodes all of its records together. */
  readonly pending: () => ReadonlyArray<unknown>
  /** The size of the part so far, in bytes before compression. */
  readonly size: () => number
  /** Returns the remaining bytes, and what the end of the file needs to know about the part. */
  readonly end: () => { readonly bytes: Uint8Array; readonly footer: string | null }
}

const encoder = new TextEncoder()

/** Creates the format of a file from a text format whose records need nothing from the records before them. */
export const textFile = (format: RecordFormat): FileFormat => ({
  startPart: (offset) => {
    let prefix = offset === 0 ? format.start() : ""
    let size = 0
    const take = (text: string): Uint8Array => {
      const bytes = encoder.encode(prefix + text)
      prefix = ""
      size += bytes.length
      return bytes
    }
    return {
      add: (records) => take(format.records(records).join("")),
      pending: () => [],
      size: () => size,
      end: () => ({ bytes: take(""), footer: null })
    }
  },
  end: () => encoder.encode(format.end())
})
