/** What `--fields` and `--jq` make of the records. */
import * as Effect from "effect/Effect"
import { type CommandError, UsageError } from "../CommandError.ts"
import type { OutputFormat } from "../render/OutputFormat.ts"
import type { OutputSettings } from "./OutputOptions.ts"
import type { RecordField } from "./RecordFields.ts"
import type { EncodedRecord } from "./RecordSource.ts"
import { pickFields, selectFields } from "./SelectFields.ts"

/** Results, and why there are no more. The results precede the error. */
export interface TransformedRecords {
  readonly values: ReadonlyArray<unknown>
  readonly error: CommandError | null
}

/** Transforms the one stream of records. It may keep state, so it belongs to one run of a list. */
export interface RecordTransform {
  /** The fields of the results; null if they have no common fields. */
  readonly fields: ReadonlyArray<RecordField> | null
  /** Whether it holds records back until the end, so that a list cannot continue in the middle. */
  readonly holdsRecords: boolean
  /** Returns what the next records become: more, fewer or other values. */
  readonly apply: (records: ReadonlyArray<EncodedRecord>) => Effect.Effect<TransformedRecords, CommandError>
  /** Returns the values after the last record. */
  readonly end: Effect.Effect<TransformedRecords, CommandError>
}

const picking = (fields: ReadonlyArray<RecordField>): RecordTransform => {
  const pick = pickFields(fields)
  return {
    fields,
    holdsRecords: false,
    apply: (records) => Effect.sync(() => ({ values: records.map(pick), error: null })),
    end: Effect.succeed({ values: [], error: null })
  }
}

/** Returns the transformation that the options describe; null if the records stay as they are. */
export const makeTransform = (
  recordFields: ReadonlyArray<RecordField>,
  { fields, jq }: OutputSettings,
  format: OutputFormat
): Effect.Effect<RecordTransform | null, UsageError> =>
  Effect.gen(function*() {
    const selected = fields.length === 0 ? null : yield* selectFields(recordFields, fields)
    if (jq === null) return selected === null ? null : picking(selected)
    if (format === "csv") {
      return yield* new UsageError({
        reason: "--jq and -o csv are mutually exclusive, because results have no common columns",
        hint: "select columns with --fields, or use @csv in the expression"
      })
    }
    const { makeJq } = yield* Effect.promise(() => import("./Jq.ts"))
    const program = yield* makeJq(jq)
    if (selected === null) return program
    const pick = pickFields(selected)
    return { ...program, apply: (records) => program.apply(records.map(pick)) }
  })
