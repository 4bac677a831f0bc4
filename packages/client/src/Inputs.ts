/** The IDs and the inputs of the operations. */
export type * from "@blockquarry/core/Inputs"
export type { BlockOrDateRangeInput } from "@blockquarry/core/InputSchema"
export type { OperationId } from "@blockquarry/core/Operations"
