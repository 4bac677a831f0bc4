/** The chains that a command line selects. */
import { chainNames } from "../text/CoreNames.build.ts"
import type { ArgumentValues } from "./ArgumentValues.ts"

const names: ReadonlyMap<string, string> = new Map(Object.entries(chainNames))

/** The option, and the parameter of operations. */
export const chainOptionName = "chain"

/** Returns the name of a chain by its name, or its decimal or hexadecimal ID. */
export const knownChain = (text: string): string | undefined => names.get(text.trim().toLowerCase())

/** Replaces the chains by a list of their names, each once. Unknown ones stay, for the error. */
export const withChainNames = (values: ArgumentValues): ArgumentValues => {
  const words = values.get(chainOptionName)?.flatMap((value) => value.split(",")) ?? []
  const chains = words.filter((word) => word.trim() !== "").map((word) => knownChain(word) ?? word.trim())
  return chains.length === 0 ? values : new Map([...values, [chainOptionName, [...new Set(chains)]]])
}

/** Returns the chains if there are several; null for one chain. */
export const severalChains = (values: ArgumentValues): ReadonlyArray<string> | null => {
  const chains = values.get(chainOptionName) ?? []
  return chains.length > 1 ? chains : null
}
