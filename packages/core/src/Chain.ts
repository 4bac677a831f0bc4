/**
 * The supported chains.
 *
 * An operation supports one of three sets, `evmChains` (25 chains), `nftTradeChains` or `priceChains`, or any chain.
 */
import type * as Schema from "effect/Schema"
import { scalar } from "./internal/scalar.ts"
import type { OpenEnum } from "./OpenEnum.ts"
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

/** The canonical name of a chain. */
export type ChainName = keyof IdsByName

/** The hexadecimal chain ID of the chain `Name`. */
export type ChainId<Name extends ChainName = ChainName> = IdsByName[Name]

const isName = (text: string): text is ChainName => Object.hasOwn(idsByName, text)

/** All supported chains, in the order of the specification. */
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
 * Returns the hexadecimal ID of a chain, which is sent in requests.
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

/** Returns the name of a chain given by name or by hexadecimal ID, in any case. */
export const chainName = (text: string): ChainName | undefined => namesByText.get(text.toLowerCase())

/** A chain as callers write it: a name or a hexadecimal ID. */
export type ChainInput<Name extends ChainName> = Name | ChainId<Name>

const chainSchema = <Name extends ChainName>(
  identifier: string,
  names: ReadonlyArray<Name>
): Schema.Schema<Name, ChainInput<Name>> => {
  const isMember = (input: unknown): input is Name => names.some((name) => name === input)
  return scalar<Name, ChainId<Name>, ChainInput<Name>>({
    identifier,
    expected: `one of ${names.join(", ")} (or its hexadecimal chain ID)`,
    is: isMember,
    decode: (input) => {
      const name = typeof input === "string" ? chainName(input) : undefined
      return isMember(name) ? name : undefined
    },
    encode: chainId,
    arbitrary: (fc) => fc.constantFrom(...names),
    jsonSchema: { type: "string", enum: names.flatMap((name) => [name, idsByName[name]]) }
  })
}

/** A chain of `evmChains`. Decodes a name or a hexadecimal ID in any case. Encodes it as the ID. */
export const EvmChain = chainSchema("EvmChain", evmChains)

const hexId = /^0x0*([0-9a-f]+)$/i

/**
 * A chain of an operation whose chains the specification does not list: any name or hexadecimal ID. Decodes those of
 * `evmChains` as `EvmChain` does, other IDs in lower case without leading zeros, and other names unchanged.
 */
export const OpenChain = scalar<OpenEnum<ChainName>, OpenEnum<ChainInput<ChainName>>>({
  identifier: "OpenChain",
  expected: "a chain name or a hexadecimal chain ID",
  is: isWellFormedText,
  decode: (input) => {
    if (!isWellFormedText(input)) return undefined
    const id = input.replace(hexId, (_, digits: string) => `0x${digits.toLowerCase()}`)
    return chainName(id) ?? id
  },
  encode: (name) => isName(name) ? chainId(name) : name,
  arbitrary: (fc) => fc.oneof(fc.constantFrom(...evmChains), fc.constantFrom("monad", "0x8f", "Some Chain")),
  jsonSchema: { type: "string", minLength: 1, examples: evmChains.flatMap((name) => [name, idsByName[name]]) }
})

/** A chain of `nftTradeChains`. */
export const NftTradeChain = chainSchema("NftTradeChain", nftTradeChains)

/** A chain of `priceChains`. */
export const PriceChain = chainSchema("PriceChain", priceChains)
