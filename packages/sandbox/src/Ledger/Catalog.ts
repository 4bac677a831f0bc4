/**
 * The tokens and collections of a chain.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Collection, Token } from "../Ledger.ts"
import { busyChain, chains } from "./Chains.ts"
import type { CollectionGood, TokenGood } from "./Goods.ts"
import { busyGood, collectionGoods, knownTokens, otherTokens, plain } from "./Goods.ts"
import { addresses } from "./Identity.ts"

/** A token and how it comes into being. */
export interface Issue {
  readonly token: Token
  /** Minted at first, in smallest units; nothing for the wrapped native token, which is minted by deposits. */
  readonly supply: bigint
  /** Whether more is minted later. */
  readonly mintable: boolean
}

/** A collection and how its ids are given. */
export interface Edition {
  readonly collection: Collection
  readonly ids: "counted" | "hashed"
}

/** What a chain deals in. */
export interface Catalog {
  readonly wrapped: Issue
  /** The token that most is paid in, besides the wrapped native one. */
  readonly dollar: Issue
  readonly unpriced: Issue
  readonly spam: Issue
  /** All of the above and others. */
  readonly issues: ReadonlyArray<Issue>
  /** Moves in a pattern of its own, and on one chain only. */
  readonly busy: Token
  readonly portraits: Edition
  readonly workshop: Edition
  /** Not indexed before its first read. */
  readonly hidden: Edition
  /** All of the above and others; side chains have the first two. */
  readonly editions: ReadonlyArray<Edition>
  /** All tokens of the chain by address, and all collections. */
  readonly tokens: ReadonlyMap<Address, Token>
  readonly collections: ReadonlyMap<Address, Collection>
}

/** The catalog of a chain. */
export const catalog = (seed: string, chain: ChainName): Catalog => {
  const { native, size } = chains[chain]
  const [nativeName, nativeSymbol, nativePrice] = native
  const tokenAddress = addresses(`${seed}/${chain}/token`)
  const collectionAddress = addresses(`${seed}/${chain}/collection`)
  const issue = ({ logo, mintable, supply, usdPrice, ...entry }: TokenGood, index: number): Issue => {
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
  const wrapped = issue({
    ...plain,
    name: `Wrapped ${nativeName}`,
    symbol: `W${nativeSymbol}`,
    decimals: 18,
    usdPrice: nativePrice,
    supply: 0n
  }, 0)
  const dollar = issue(knownTokens.dollar, 1)
  const unpriced = issue(knownTokens.unpriced, 2)
  const spam = issue(knownTokens.spam, 3)
  const issues = [
    wrapped,
    dollar,
    unpriced,
    spam,
    ...(size === "main" ? otherTokens.map((entry, index) => issue(entry, 4 + index)) : [])
  ]
  const busy = issue(busyGood, 100).token
  const edition = ({ ids, trait, ...entry }: CollectionGood, index: number): Edition => ({
    collection: {
      ...entry,
      address: collectionAddress(index),
      possibleSpam: trait === "spam",
      verified: trait === "verified",
      indexed: trait !== "unindexed"
    },
    ids
  })
  const portraits = edition(collectionGoods.portraits, 0)
  const workshop = edition(collectionGoods.workshop, 1)
  const hidden = edition(collectionGoods.hidden, 2)
  const editions = size === "main"
    ? [
      portraits,
      workshop,
      hidden,
      edition(collectionGoods.names, 3),
      edition(collectionGoods.spam, 4),
      edition(collectionGoods.shells, 5)
    ]
    : [portraits, workshop]
  const tokens = [...issues.map(({ token }) => token), ...(chain === busyChain ? [busy] : [])]
  return {
    wrapped,
    dollar,
    unpriced,
    spam,
    issues,
    busy,
    portraits,
    workshop,
    hidden,
    editions,
    tokens: new Map(tokens.map((token) => [token.address, token])),
    collections: new Map(editions.map(({ collection }) => [collection.address, collection]))
  }
}
