/** The chains of the operations. */
import type * as Core from "@blockquarry/core/Chain"

/** The hexadecimal IDs of the known chains. */
export type ChainId = Core.ChainId

export type { ChainInput as Chain, ChainName } from "@blockquarry/core/Chain"
