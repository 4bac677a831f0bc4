/** The chains that a command line selects. */
import { chainNames } from "../text/CoreNames.build.ts"
import type { ArgumentValues } from "./ArgumentValues.ts"

const names: ReadonlyMap<string, string> = new Map(Object.entries(chainNames))

/** The option, and the parameter of operations. */
export const chainOptionName = "chain"

/**
 * Returns a chain as operations take it: the name of a known one by its name, with spaces or dashes, or its decimal or
 * hexadecimal ID; the hexadecimal ID of another decimal one; any other text unchanged.
 */
export const chainOf = (text: string): string => {
  const word = text.trim()
  const id = /^(?:\d+|0x[0-9a-f]+)$/i.test(word) ? `0x${BigInt(word).toString(16)}` : word
  return names.get(id.toLowerCase()) ?? id
}

/** Replaces the chains by a list of them as operations take them, each once. */
export const withChainNames = (values: ArgumentValues): ArgumentValues => {
  const words = values.get(chainOptionName)?.flatMap((value) => value.split(",")) ?? []
  const chains = words.filter((word) => word.trim() !== "").map(chainOf)
  return chains.length === 0 ? values : new Map([...values, [chainOptionName, [...new Set(chains)]]])
}

/** Returns the chains if there are several; null for one chain. */
export const severalChains = (values: ArgumentValues): ReadonlyArray<string> | null => {
  const chains = values.get(chainOptionName) ?? []
  return chains.length > 1 ? chains : null
}
