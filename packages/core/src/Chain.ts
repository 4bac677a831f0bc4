/**
 * The chains of requests: the known ones, and any other.
 *
 * The specification lists one of three sets for each operation: `evmChains` (25 chains), `nftTradeChains` or `priceChains`.
 * Documentation lists them, and editors and shells complete them. Services add chains, so every chain is sent.
 */
import { scalar } from "./internal/scalar.ts"
import type { OpenEnum } from "./OpenEnum.ts"
import { misspelledName } from "./Suggestion.ts"
import { isWellFormedText } from "./WellFormedText.ts"

const idsByName = {
  "eth": "0x1",
  "sepolia": "0xaa36a7",
  "holesky": "0x4268",
  "polygon": "0x89",
  "polygon amoy": "0x13882",
  "bsc": "0x38",
  "bsc testnet": "0x61",
  "avalanche": "0xa86a",
  "fantom": "0xfa",
  "palm": "0x2a15c308d",
  "cronos": "0x19",
  "arbitrum": "0xa4b1",
  "gnosis": "0x64",
  "gnosis testnet": "0x27d8",
  "chiliz": "0x15b38",
  "chiliz testnet": "0x15b32",
  "base": "0x2105",
  "base sepolia": "0x14a34",
  "optimism": "0xa",
  "optimism sepolia": "0xaa37dc",
  "linea": "0xe708",
  "linea sepolia": "0xe705",
  "moonbeam": "0x504",
  "moonriver": "0x505",
  "moonbase": "0x507"
} as const

type IdsByName = typeof idsByName

/** The canonical name of a known chain. */
export type ChainName = keyof IdsByName

/** The hexadecimal chain ID of the chain `Name`. */
export type ChainId<Name extends ChainName = ChainName> = IdsByName[Name]

const isName = (text: string): text is ChainName => Object.hasOwn(idsByName, text)

/** All known chains, in the order of the specification. */
export const evmChains: ReadonlyArray<ChainName> = Object.keys(idsByName).filter(isName)

/** The chains on which NFT trades are indexed. */
export const nftTradeChains = [
  "eth",
  "polygon",
  "bsc",
  "avalanche",
  "arbitrum",
  "base",
  "optimism"
] as const satisfies ReadonlyArray<ChainName>

/** The chains for which prices are available. */
export const priceChains = [
  "eth",
  "polygon",
  "bsc",
  "avalanche",
  "fantom",
  "palm",
  "cronos",
  "arbitrum",
  "gnosis",
  "chiliz",
  "base",
  "optimism",
  "linea",
  "moonbeam",
  "moonriver",
  "moonbase"
] as const satisfies ReadonlyArray<ChainName>

/**
 * Returns the hexadecimal ID of a known chain, which is sent in requests.
 *
 * @example
 * import { chainId } from "@blockquarry/core/Chain"
 *
 * chainId("polygon amoy") // "0x13882"
 */
export const chainId = <Name extends ChainName>(name: Name): ChainId<Name> => idsByName[name]

const namesByText: ReadonlyMap<string, ChainName> = new Map(
  evmChains.flatMap((name) => [[name, name], [idsByName[name], name]])
)

const hexId = /^0x0*([1-9a-f][0-9a-f]*|0)$/i

/** Returns a hexadecimal ID in lower case without leading zeros, and any other text unchanged. */
const canonicalId = (text: string): string => {
  const digits = hexId.exec(text)?.[1]
  return digits === undefined ? text : `0x${digits.toLowerCase()}`
}

/** Returns the name of a known chain given by name or by hexadecimal ID, in any case. */
export const chainName = (text: string): ChainName | undefined =>
  namesByText.get(canonicalId(text).toLowerCase())

/** A chain as callers write it: a name or a hexadecimal ID. Editors complete the known ones. */
export type ChainInput = OpenEnum<ChainName | ChainId>

const jsonSchemaOf = (known: ReadonlyArray<ChainName>) => ({
  type: "string",
  minLength: 1,
  examples: known.flatMap((name) => [name, idsByName[name]])
})

/**
 * A chain of a request: any name or hexadecimal ID. Decodes known ones in any case to their name, and encodes these as their ID.
 * Other IDs become lower case without leading zeros, and other names stay unchanged. Rejects a name that looks like a misspelling
 * of a known one, as `polygn`: a chain with such a name can be sent as its ID.
 */
export const Chain = scalar<OpenEnum<ChainName>, ChainInput>({
  identifier: "Chain",
  expected: "a chain name or a hexadecimal chain ID",
  is: isWellFormedText,
  decode: (input) => {
    if (!isWellFormedText(input)) return undefined
    const id = canonicalId(input)
    return chainName(id) ?? (misspelledName(id, evmChains) === undefined ? id : undefined)
  },
  remark: (input) => {
    const name = isWellFormedText(input) ? misspelledName(input, evmChains) : undefined
    return name === undefined
      ? ""
      : `; did you mean ${name}? Otherwise, set the chain to its hexadecimal chain ID`
  },
  encode: (name) => isName(name) ? chainId(name) : name,
  arbitrary: (fc) => fc.oneof(fc.constantFrom(...evmChains), fc.constantFrom("monad", "0x8f", "Some Chain")),
  jsonSchema: jsonSchemaOf(evmChains)
})

/** Returns `Chain` with the chains that documentation lists and shells complete. It decodes any chain. */
export const withKnownChains = (known: ReadonlyArray<ChainName>): typeof Chain =>
  Chain.annotations({ jsonSchema: jsonSchemaOf(known) })
