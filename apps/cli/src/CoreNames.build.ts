/** Names of `core`, which are needed without its schemas. `scripts/buildTimeValue.mjs` computes them. */
import { evmChains } from "@blockquarry/core/Chain"
import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"

/** IDs of the operations that return lists. */
export const listOperations: ReadonlyArray<string> = allOperations.filter(isList).map(({ id }) => id)

/** Names of the EVM chains. */
export const chainNames: ReadonlyArray<string> = evmChains
