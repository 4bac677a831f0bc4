/** The operations: one function for each. */
import type { DataOperations, LedgerOperations, StreamsOperations } from "@blockquarry/core/Operations"
import type { PlainOperations } from "./internal/PlainOperations.ts"

/** The operations of all APIs. */
export type Operations = PlainOperations<DataOperations & StreamsOperations & LedgerOperations>
