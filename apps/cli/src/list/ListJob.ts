/** A list command that is ready to run: where its records come from, and what happens to them. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { CommandError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { EncodedRecord, RecordList, RecordSource, ShownList } from "./RecordList.ts"

/** Results, and why there are no more. The results precede the error. */
export interface TransformedRecords<out Row = unknown> {
  readonly values: ReadonlyArray<Row>
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
  readonly end: Effect.Effect<TransformedRecords, CommandError>
  /** Fails as `--exit-status` says, once all values are printed. */
  readonly status: Effect.Effect<void, CommandError>
}

/** How many of many inputs were read, and how many of them failed. */
interface InputCounts {
  readonly failed: number
  readonly total: number
}

/** What the sink of many inputs reports about them. */
export interface JobInputs {
  /** The name of a source that can be read only once; null for a file. */
  readonly pipe: string | null
  /** Prints the inputs that failed, before the last lines. */
  readonly report: (exit: Exit.Exit<unknown, CommandError>) => Effect.Effect<void>
  readonly counts: () => InputCounts
  /** Takes the counts of an earlier run that is complete. */
  readonly restore: (counts: InputCounts | null) => void
}

/**
 * A list command: source -> limit -> transform -> sink. The sink is stdout (`printRecords`), or what an option selects
 * instead; each sink reads `source.pages()` and applies `limitRecords(maxItems)` and `transform`.
 */
export interface ListJob<in out Item, out List extends ShownList<Item> = RecordList<Item>> {
  readonly list: List
  readonly source: RecordSource<Item>
  readonly maxItems: number | null
  /** How long an outage may last. Zero if the source retries by itself. */
  readonly retryFor: Duration.Duration
  /** Null if the records are printed as they are. */
  readonly transform: RecordTransform | null
  readonly invocation: CommandInvocation
  readonly inputs?: JobInputs | undefined
}
