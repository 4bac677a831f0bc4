/** A list command that is ready to run: where its records come from, and what happens to them. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { CommandError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column } from "../render/Table.ts"
import type { RecordSource } from "./RecordSource.ts"
import type { RecordTransform } from "./RecordTransform.ts"

/** How many of many inputs were read, and how many of them failed. */
export interface InputCounts {
  readonly failed: number
  readonly total: number
}

/**
 * A list command: source -> limit -> transform -> sink. The sink is stdout (`printRecords`), or what an option selects
 * instead; each sink reads `source.pages()` and applies `limitRecords(maxItems)` and `transform`.
 */
export interface ListJob<in out Item> {
  readonly source: RecordSource<Item>
  /** Columns of a table, for sinks that show decoded records. */
  readonly columns: ReadonlyArray<Column<Item>>
  /** Returns whether a record is less important than the others, for example because it is possible spam. */
  readonly isDimmed: (item: Item) => boolean
  readonly maxItems: number | null
  /** How long an outage may last. Zero if the source retries by itself. */
  readonly retryFor: Duration.Duration
  /** Null if the records are printed as they are. */
  readonly transform: RecordTransform | null
  readonly invocation: CommandInvocation
  /** Of a list of many inputs. */
  readonly inputs?: {
    readonly isStandardInput: boolean
    /** Prints the inputs that failed, before the last lines. */
    readonly report: (exit: Exit.Exit<unknown, CommandError>) => Effect.Effect<void>
    /** Returns the cursor that continues a list of which no record is printed; null if it is that of the command. */
    readonly unprinted: () => string | null
    /** Returns how many inputs were read so far. */
    readonly counts: () => InputCounts
    /** Takes the counts of an earlier run that is complete. */
    readonly restore: (counts: InputCounts | null) => void
  }
}
