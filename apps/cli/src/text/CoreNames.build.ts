/** Names of `core`, which are needed without its schemas. `scripts/buildTimeValue.mjs` computes them. */
import { chainId, evmChains } from "@blockquarry/core/Chain"
import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"

/** IDs of the operations that return lists. */
export const listOperations: ReadonlyArray<string> = allOperations.filter(isList).map(({ id }) => id)

/** Names of the EVM chains without spaces, as help and completions list them. */
export const chainSlugs: ReadonlyArray<string> = evmChains.map((name) => name.replaceAll(" ", "-"))

/** The names of the EVM chains by their spellings in lower case: names, also without spaces, and hexadecimal IDs. */
export const chainNames: Readonly<Record<string, string>> = Object.fromEntries(
  evmChains.flatMap((name) => [
    [name, name],
    [name.replaceAll(" ", "-"), name],
    [chainId(name), name]
  ])
)
