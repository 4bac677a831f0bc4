/** A list without the types of its operation: how commands read and show its records. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type * as Effect from "effect/Effect"
import type { ApiClients } from "../connection/ApiClients.ts"
import type { CommandError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column } from "../render/Table.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import type { RecordSource } from "./RecordSource.ts"

export interface RecordList<in out Item> {
  readonly operation: AnyOperation
  readonly fields: ReadonlyArray<RecordField>
  /** Plural noun for messages. */
  readonly recordName: string
  readonly columns: ReadonlyArray<Column<Item>>
  /** Returns whether a record is less important than the others, for example because it is possible spam. */
  readonly isDimmed: (item: Item) => boolean
  /** Returns the source of the records that the values of an invocation select. */
  readonly sourceOf: (
    invocation: CommandInvocation
  ) => Effect.Effect<RecordSource<Item>, CommandError, ApiClients | CommandTerminal>
}
