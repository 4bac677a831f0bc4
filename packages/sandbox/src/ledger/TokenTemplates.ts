/** Templates of tokens and collections, with all traits that clients must handle. */

const inSmallestUnits = (amount: bigint, decimals: number): bigint => amount * 10n ** BigInt(decimals)

export const defaults = { logo: true, possibleSpam: false, verified: true, mintable: true }

/** A token. `supply` is the initial supply in smallest units. */
export interface TokenTemplate {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly usdPrice: number | null
  readonly supply: bigint
  readonly logo: boolean
  readonly possibleSpam: boolean
  readonly verified: boolean
  readonly mintable: boolean
}

/** Tokens with a role in examples and transactions. */
export const knownTokens = {
  stablecoin: {
    ...defaults,
    name: "Quarry Dollar",
    symbol: "QUSD",
    decimals: 6,
    usdPrice: 0.99982,
    supply: inSmallestUnits(45_000_000_000n, 6)
  },
  unpriced: {
    ...defaults,
    name: "Everything",
    symbol: "ALL",
    decimals: 18,
    usdPrice: null,
    supply: 2n ** 256n - 1n,
    verified: false,
    mintable: false
  },
  spam: {
    ...defaults,
    name: "🎁 Claim at reward.example",
    symbol: "$ CLAIM",
    decimals: 18,
    usdPrice: null,
    supply: inSmallestUnits(9_000_000_000n, 18),
    logo: false,
    possibleSpam: true,
    verified: false
  }
} satisfies Record<string, TokenTemplate>

/** Tokens of main chains only. */
export const otherTokens: ReadonlyArray<TokenTemplate> = [
  {
    ...defaults,
    name: "Granite Bitcoin",
    symbol: "GBTC",
    decimals: 8,
    usdPrice: 104_512.33,
    supply: inSmallestUnits(128_000n, 8)
  },
  {
    ...defaults,
    name: "Marble",
    symbol: "MRBL",
    decimals: 18,
    usdPrice: 4.21e-17,
    supply: inSmallestUnits(420_690_000_000_000n, 18)
  },
  {
    ...defaults,
    name: "Слюда",
    symbol: "СЛД",
    decimals: 9,
    usdPrice: 1.37,
    supply: inSmallestUnits(100_000_000n, 9)
  },
  {
    ...defaults,
    name: "花崗岩幣",
    symbol: "花崗",
    decimals: 18,
    usdPrice: 12.5,
    supply: inSmallestUnits(21_000_000n, 18),
    logo: false
  },
  {
    ...defaults,
    name: "Loyalty Points",
    symbol: "PTS",
    decimals: 0,
    usdPrice: null,
    supply: 250_000n,
    verified: false
  },
  {
    ...defaults,
    name: "Cents",
    symbol: "CENT",
    decimals: 2,
    usdPrice: 0.01,
    supply: inSmallestUnits(88_000_000_000n, 2)
  },
  {
    ...defaults,
    name: "Astronomical",
    symbol: "ASTRO",
    decimals: 24,
    usdPrice: 3.2e-9,
    supply: inSmallestUnits(7_000_000n, 24),
    mintable: false
  },
  {
    ...defaults,
    name: "عملة الخليج",
    symbol: "خليج",
    decimals: 18,
    usdPrice: 0.42,
    supply: inSmallestUnits(1_000_000_000n, 18)
  },
  {
    ...defaults,
    name: "Pumice",
    symbol: "PUM",
    decimals: 18,
    usdPrice: 0.000_73,
    supply: inSmallestUnits(5_000_000n, 18),
    logo: false,
    verified: false
  }
]

export const busyTokenTemplate: TokenTemplate = {
  ...defaults,
  name: "Basalt",
  symbol: "BSLT",
  decimals: 18,
  usdPrice: 0.000_031,
  supply: 0n
}

export interface CollectionTemplate {
  readonly name: string
  readonly symbol: string
  readonly type: "ERC721" | "ERC1155"
  readonly ids: "counted" | "hashed"
  readonly trait: "verified" | "plain" | "spam" | "unindexed"
}

export const collectionTemplates = {
  portraits: { name: "Stone Portraits", symbol: "STONE", type: "ERC721", ids: "counted", trait: "verified" },
  workshop: { name: "Quarry Workshop", symbol: "WORK", type: "ERC1155", ids: "hashed", trait: "verified" },
  names: { name: "名前サービス", symbol: "名前", type: "ERC721", ids: "hashed", trait: "plain" },
  spam: { name: "Free mint ☞ claim.example", symbol: "FREE", type: "ERC1155", ids: "counted", trait: "spam" },
  unindexed: { name: "Hidden Vein", symbol: "VEIN", type: "ERC721", ids: "counted", trait: "unindexed" },
  shells: { name: "Κοχύλια", symbol: "ΚΟΧ", type: "ERC1155", ids: "counted", trait: "plain" }
} satisfies Record<string, CollectionTemplate>
