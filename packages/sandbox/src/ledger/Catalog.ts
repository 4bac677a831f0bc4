/**
 * The tokens and collections of a chain.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Collection, Token } from "../Ledger.ts"
import { busyChain, chainConfigs } from "./ChainConfigs.ts"
import { addresses } from "./Identifiers.ts"
import type { CollectionTemplate, TokenTemplate } from "./TokenTemplates.ts"
import {
  busyTokenTemplate,
  collectionTemplates,
  defaults,
  knownTokens,
  otherTokens
} from "./TokenTemplates.ts"

/** A token and how it comes into being. */
export interface TokenDefinition {
  readonly token: Token
  /** Minted at first, in smallest units; nothing for the wrapped native token, which is minted by deposits. */
  readonly supply: bigint
  /** Whether more is minted later. */
  readonly mintable: boolean
}

/** A collection and how its ids are given. */
export interface CollectionDefinition {
  readonly collection: Collection
  readonly ids: "counted" | "hashed"
}

/** What a chain deals in. */
export interface Catalog {
  readonly wrappedNative: TokenDefinition
  /** The token that most is paid in, besides the wrapped native one. */
  readonly stablecoin: TokenDefinition
  readonly unpriced: TokenDefinition
  readonly spam: TokenDefinition
  /** All of the above and others. */
  readonly tokenDefinitions: ReadonlyArray<TokenDefinition>
  /** Moves in a pattern of its own, and on one chain only. */
  readonly busy: Token
  readonly portraits: CollectionDefinition
  readonly workshop: CollectionDefinition
  /** Not indexed before its first read. */
  readonly unindexed: CollectionDefinition
  /** All of the above and others; side chains have the first two. */
  readonly collectionDefinitions: ReadonlyArray<CollectionDefinition>
  /** All tokens of the chain by address, and all collections. */
  readonly tokens: ReadonlyMap<Address, Token>
  readonly collections: ReadonlyMap<Address, Collection>
}

/** The catalog of a chain. */
export const catalog = (seed: string, chain: ChainName): Catalog => {
  const { native, size } = chainConfigs[chain]
  const [nativeName, nativeSymbol, nativePrice] = native
  const tokenAddress = addresses(`${seed}/${chain}/token`)
  const collectionAddress = addresses(`${seed}/${chain}/collection`)
  const defineToken = (
    { logo, mintable, supply, usdPrice, ...entry }: TokenTemplate,
    index: number
  ): TokenDefinition => {
    const address = tokenAddress(index)
    return {
      token: {
        ...entry,
        address,
        logo: logo ? `https://logos.example/tokens/${address}.png` : null,
        usdPrice: nativePrice === null ? null : usdPrice
      },
      supply,
      mintable
    }
  }
  const wrappedNative = defineToken({
    ...defaults,
    name: `Wrapped ${nativeName}`,
    symbol: `W${nativeSymbol}`,
    decimals: 18,
    usdPrice: nativePrice,
    supply: 0n
  }, 0)
  const stablecoin = defineToken(knownTokens.stablecoin, 1)
  const unpriced = defineToken(knownTokens.unpriced, 2)
  const spam = defineToken(knownTokens.spam, 3)
  const tokenDefinitions = [
    wrappedNative,
    stablecoin,
    unpriced,
    spam,
    ...(size === "main" ? otherTokens.map((entry, index) => defineToken(entry, 4 + index)) : [])
  ]
  const busy = defineToken(busyTokenTemplate, 100).token
  const defineCollection = (
    { ids, trait, ...entry }: CollectionTemplate,
    index: number
  ): CollectionDefinition => ({
    collection: {
      ...entry,
      address: collectionAddress(index),
      possibleSpam: trait === "spam",
      verified: trait === "verified",
      indexed: trait !== "unindexed"
    },
    ids
  })
  const portraits = defineCollection(collectionTemplates.portraits, 0)
  const workshop = defineCollection(collectionTemplates.workshop, 1)
  const unindexed = defineCollection(collectionTemplates.unindexed, 2)
  const collectionDefinitions = size === "main"
    ? [
      portraits,
      workshop,
      unindexed,
      defineCollection(collectionTemplates.names, 3),
      defineCollection(collectionTemplates.spam, 4),
      defineCollection(collectionTemplates.shells, 5)
    ]
    : [portraits, workshop]
  const tokens = [...tokenDefinitions.map(({ token }) => token), ...(chain === busyChain ? [busy] : [])]
  return {
    wrappedNative,
    stablecoin,
    unpriced,
    spam,
    tokenDefinitions,
    busy,
    portraits,
    workshop,
    unindexed,
    collectionDefinitions,
    tokens: new Map(tokens.map((token) => [token.address, token])),
    collections: new Map(collectionDefinitions.map(({ collection }) => [collection.address, collection]))
  }
}
