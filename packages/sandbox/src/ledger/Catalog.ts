/** The tokens and collections of a chain, with all traits that clients must handle. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import { busyChain, chainConfigs } from "./ChainConfigs.ts"
import { addresses } from "./Identifiers.ts"
import type { Collection, Token } from "./Model.ts"
import { makeRandom } from "./Random.ts"

/** A token and how it is minted. */
export interface TokenDefinition {
  readonly token: Token
  /** Initial supply in smallest units; 0 for the wrapped native token, which deposits mint. */
  readonly supply: bigint
  /** Whether more tokens are minted later. */
  readonly mintable: boolean
}

/** A collection and how its token IDs are generated. */
export interface CollectionDefinition {
  readonly collection: Collection
  readonly ids: "counted" | "hashed"
}

const usualTraits = { hasLogo: true, mintable: true, possibleSpam: false, verified: true }

/** A token without its address. `supply` is in whole tokens. */
const template = (
  name: string,
  symbol: string,
  decimals: number,
  usdPrice: number | null,
  supply: bigint,
  traits: Partial<typeof usualTraits & { readonly supply: bigint }> = {}
) => ({
  ...usualTraits,
  name,
  symbol,
  decimals,
  usdPrice,
  supply: supply * 10n ** BigInt(decimals),
  ...traits
})

type TokenTemplate = ReturnType<typeof template>

/** Tokens of main chains only. */
const tokenTemplates: ReadonlyArray<TokenTemplate> = [
  template("Granite Bitcoin", "GBTC", 8, 104_512.33, 128_000n),
  template("Marble", "MRBL", 18, 4.21e-17, 420_690_000_000_000n),
  template("Слюда", "СЛД", 9, 1.37, 100_000_000n),
  template("花崗岩幣", "花崗", 18, 12.5, 21_000_000n, { hasLogo: false }),
  template("Loyalty Points", "PTS", 0, null, 250_000n, { verified: false }),
  template("Cents", "CENT", 2, 0.01, 88_000_000_000n),
  template("Astronomical", "ASTRO", 24, 3.2e-9, 7_000_000n, { mintable: false }),
  template("عملة الخليج", "خليج", 18, 0.42, 1_000_000_000n),
  template("Pumice", "PUM", 18, 0.000_73, 5_000_000n, { hasLogo: false, verified: false })
]

type CollectionTemplate = readonly [
  name: string,
  symbol: string,
  type: "ERC721" | "ERC1155",
  ids: "counted" | "hashed",
  trait: "verified" | "plain" | "spam" | "unindexed"
]

/** Collections of main chains only, besides the one that is not indexed. */
const collectionTemplates: ReadonlyArray<CollectionTemplate> = [
  ["名前サービス", "名前", "ERC721", "hashed", "plain"],
  ["Free mint ☞ claim.example", "FREE", "ERC1155", "counted", "spam"],
  ["Κοχύλια", "ΚΟΧ", "ERC1155", "counted", "plain"]
]

/** Returns the ID of the first NFT of a collection with hashed IDs. It has 77 digits. */
export const firstHashedId = (collection: Address): bigint => {
  const minId = 10n ** 76n
  return minId + makeRandom(`${collection}/first`).bigBelow(2n ** 255n - minId)
}

/** The tokens and collections of a chain, by role. */
export interface Catalog extends ReturnType<typeof makeCatalog> {}

/** Creates the catalog of a chain. */
export const makeCatalog = (seed: string, chain: ChainName) => {
  const { native, size } = chainConfigs[chain]
  const [nativeName, nativeSymbol, nativePrice] = native
  const isMain = size === "main"
  const tokenAddress = addresses(`${seed}/${chain}/token`)
  const collectionAddress = addresses(`${seed}/${chain}/collection`)
  const defineToken = (
    index: number,
    { hasLogo, mintable, supply, usdPrice, ...rest }: TokenTemplate
  ): TokenDefinition => {
    const address = tokenAddress(index)
    const logo = hasLogo ? `https://logos.example/tokens/${address}.png` : null
    const token = { ...rest, address, logo, usdPrice: nativePrice === null ? null : usdPrice }
    return { token, supply, mintable }
  }
  const defineCollection = (
    index: number,
    [name, symbol, type, ids, trait]: CollectionTemplate
  ): CollectionDefinition => {
    const collection = {
      name,
      symbol,
      type,
      address: collectionAddress(index),
      possibleSpam: trait === "spam",
      verified: trait === "verified",
      indexed: trait !== "unindexed"
    }
    return { collection, ids }
  }
  const wrappedNative = defineToken(
    0,
    template(`Wrapped ${nativeName}`, `W${nativeSymbol}`, 18, nativePrice, 0n)
  )
  const stablecoin = defineToken(1, template("Quarry Dollar", "QUSD", 6, 0.99982, 45_000_000_000n))
  const unpriced = defineToken(
    2,
    template("Everything", "ALL", 18, null, 0n, { supply: 2n ** 256n - 1n, verified: false, mintable: false })
  )
  const spamTraits = { hasLogo: false, possibleSpam: true, verified: false }
  const spam = defineToken(
    3,
    template("🎁 Claim at reward.example", "$ CLAIM", 18, null, 9_000_000_000n, spamTraits)
  )
  const otherTokens = isMain ? tokenTemplates.map((entry, index) => defineToken(4 + index, entry)) : []
  const busy = defineToken(100, template("Basalt", "BSLT", 18, 0.000_031, 0n)).token
  const portraits = defineCollection(0, ["Stone Portraits", "STONE", "ERC721", "counted", "verified"])
  const workshop = defineCollection(1, ["Quarry Workshop", "WORK", "ERC1155", "hashed", "verified"])
  const unindexed = defineCollection(2, ["Hidden Vein", "VEIN", "ERC721", "counted", "unindexed"])
  const mainCollections = collectionTemplates.map((entry, index) => defineCollection(3 + index, entry))
  const otherCollections = isMain ? [workshop, unindexed, ...mainCollections] : [workshop]
  const tokens = [wrappedNative, stablecoin, unpriced, spam, ...otherTokens].map(({ token }) => token)
  return {
    wrappedNative,
    /** The most common payment token after the wrapped native token. */
    stablecoin,
    unpriced,
    spam,
    otherTokens,
    /** Exists on one chain only, with transfers generated by `SyntheticTransfers`. */
    busy,
    portraits,
    workshop,
    /** Not indexed before its first request. */
    unindexed,
    /** All except the portraits. */
    otherCollections,
    tokens: new Map<Address, Token>(
      [...tokens, ...(chain === busyChain ? [busy] : [])].map((token) => [token.address, token])
    ),
    collections: new Map<Address, Collection>(
      [portraits, ...otherCollections].map(({ collection }) => [collection.address, collection])
    )
  }
}
