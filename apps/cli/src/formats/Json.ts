/** A JSON array with one record per line. */
import { toJson } from "../text/Json.ts"
import type { RecordFormat } from "./RecordFormat.ts"

/** Creates the format. It keeps whether a comma must precede the next record. */
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

/** One record as an indented document. */
export const jsonDocument: RecordFormat = {
  start: () => "",
  records: (records) => records.map((record) => `${toJson(record, 2)}\n`),
  end: () => ""
}
