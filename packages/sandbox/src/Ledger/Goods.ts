/**
 * How the tokens and collections are described before they are on a chain: every trait that a reader of the service
 * has to cope with.
 */

const whole = (amount: bigint, decimals: number): bigint => amount * 10n ** BigInt(decimals)

/** Most are verified and have a logo. */
export const plain = { logo: true, possibleSpam: false, verified: true, mintable: true }

/** A token; `supply` is what is minted at first, in smallest units. */
export interface TokenGood {
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

/** Those that something depends on. */
export const knownTokens = {
  dollar: {
    ...plain,
    name: "Quarry Dollar",
    symbol: "QUSD",
    decimals: 6,
    usdPrice: 0.99982,
    supply: whole(45_000_000_000n, 6)
  },
  unpriced: {
    ...plain,
    name: "Everything",
    symbol: "ALL",
    decimals: 18,
    usdPrice: null,
    supply: 2n ** 256n - 1n,
    verified: false,
    mintable: false
  },
  spam: {
    ...plain,
    name: "🎁 Claim at reward.example",
    symbol: "$ CLAIM",
    decimals: 18,
    usdPrice: null,
    supply: whole(9_000_000_000n, 18),
    logo: false,
    possibleSpam: true,
    verified: false
  }
} satisfies Record<string, TokenGood>

/** The rest, on main chains only. */
export const otherTokens: ReadonlyArray<TokenGood> = [
  {
    ...plain,
    name: "Granite Bitcoin",
    symbol: "GBTC",
    decimals: 8,
    usdPrice: 104_512.33,
    supply: whole(128_000n, 8)
  },
  {
    ...plain,
    name: "Marble",
    symbol: "MRBL",
    decimals: 18,
    usdPrice: 4.21e-17,
    supply: whole(420_690_000_000_000n, 18)
  },
  { ...plain, name: "Слюда", symbol: "СЛД", decimals: 9, usdPrice: 1.37, supply: whole(100_000_000n, 9) },
  {
    ...plain,
    name: "花崗岩幣",
    symbol: "花崗",
    decimals: 18,
    usdPrice: 12.5,
    supply: whole(21_000_000n, 18),
    logo: false
  },
  {
    ...plain,
    name: "Loyalty Points",
    symbol: "PTS",
    decimals: 0,
    usdPrice: null,
    supply: 250_000n,
    verified: false
  },
  { ...plain, name: "Cents", symbol: "CENT", decimals: 2, usdPrice: 0.01, supply: whole(88_000_000_000n, 2) },
  {
    ...plain,
    name: "Astronomical",
    symbol: "ASTRO",
    decimals: 24,
    usdPrice: 3.2e-9,
    supply: whole(7_000_000n, 24),
    mintable: false
  },
  {
    ...plain,
    name: "عملة الخليج",
    symbol: "خليج",
    decimals: 18,
    usdPrice: 0.42,
    supply: whole(1_000_000_000n, 18)
  },
  {
    ...plain,
    name: "Pumice",
    symbol: "PUM",
    decimals: 18,
    usdPrice: 0.000_73,
    supply: whole(5_000_000n, 18),
    logo: false,
    verified: false
  }
]

/** The busy token. */
export const busyGood: TokenGood = {
  ...plain,
  name: "Basalt",
  symbol: "BSLT",
  decimals: 18,
  usdPrice: 0.000_031,
  supply: 0n
}

/** A collection. */
export interface CollectionGood {
  readonly name: string
  readonly symbol: string
  readonly type: "ERC721" | "ERC1155"
  readonly ids: "counted" | "hashed"
  readonly trait: "verified" | "plain" | "spam" | "unindexed"
}

/** The collections. */
export const collectionGoods = {
  portraits: { name: "Stone Portraits", symbol: "STONE", type: "ERC721", ids: "counted", trait: "verified" },
  workshop: { name: "Quarry Workshop", symbol: "WORK", type: "ERC1155", ids: "hashed", trait: "verified" },
  names: { name: "名前サービス", symbol: "名前", type: "ERC721", ids: "hashed", trait: "plain" },
  spam: { name: "Free mint ☞ claim.example", symbol: "FREE", type: "ERC1155", ids: "counted", trait: "spam" },
  hidden: { name: "Hidden Vein", symbol: "VEIN", type: "ERC721", ids: "counted", trait: "unindexed" },
  shells: { name: "Κοχύλια", symbol: "ΚΟΧ", type: "ERC1155", ids: "counted", trait: "plain" }
} satisfies Record<string, CollectionGood>
