/** What `--fields` and `--jq` make of the records. */
import type * as Effect from "effect/Effect"
import type { CommandError } from "../CommandError.ts"

/** Transforms the one stream of records. It may keep state, so it belongs to one run of a list. */
export interface RecordTransform {
  /** Returns what the next records become: more, fewer or other values. */
  readonly apply: (records: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, CommandError>
  /** Returns the values after the last record. */
  readonly end: Effect.Effect<ReadonlyArray<unknown>, CommandError>
}
