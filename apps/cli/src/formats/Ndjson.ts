/** Newline-delimited JSON: one document per line. */
import { toJson } from "../text/Json.ts"
import type { RecordFormat } from "./RecordFormat.ts"

export const ndjson: RecordFormat = {
  start: () => "",
  records: (records) => records.map((record) => `${toJson(record)}\n`),
  end: () => ""
}
