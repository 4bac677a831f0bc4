/** Names of `core`, which are needed without its schemas. `scripts/buildTimeValue.mjs` computes them. */
import { chainId, evmChains } from "@blockquarry/core/Chain"
import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"

/** IDs of the operations that return lists. */
export const listOperations: ReadonlyArray<string> = allOperations.filter(isList).map(({ id }) => id)

/** Names of the EVM chains without spaces, as help and completions list them. */
export const chainSlugs: ReadonlyArray<string> = evmChains.map((name) => name.replaceAll(" ", "-"))

/** All spellings of the EVM chains that `--chain` accepts, in lower case: names, and hexadecimal IDs. */
export const chainSpellings: ReadonlyArray<string> = [
  ...new Set([...chainSlugs, ...evmChains, ...evmChains.map(chainId)])
]
