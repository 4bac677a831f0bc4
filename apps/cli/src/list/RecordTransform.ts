/** Transformations of records. */
import type * as Effect from "effect/Effect"
import type { CommandError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { EncodedRecord } from "./RecordSource.ts"

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
  /** Fails as `--exit-status` says, once all values are printed. */
  readonly status: Effect.Effect<void, CommandError>
}
