/**
 * The chains of the operations. `test/types.test.ts` checks that these types are those of `@blockquarry/core`.
 *
 * @since 0.1.0
 */

/**
 * The names of the supported chains.
 *
 * @since 0.1.0
 * @category values
 */
export type ChainName =
  | "eth"
  | "sepolia"
  | "holesky"
  | "polygon"
  | "polygon amoy"
  | "bsc"
  | "bsc testnet"
  | "avalanche"
  | "fantom"
  | "palm"
  | "cronos"
  | "arbitrum"
  | "gnosis"
  | "gnosis testnet"
  | "chiliz"
  | "chiliz testnet"
  | "base"
  | "base sepolia"
  | "optimism"
  | "optimism sepolia"
  | "linea"
  | "linea sepolia"
  | "moonbeam"
  | "moonriver"
  | "moonbase"

/**
 * The hexadecimal IDs of the supported chains.
 *
 * @since 0.1.0
 * @category values
 */
export interface ChainIds {
  readonly "eth": "0x1"
  readonly "sepolia": "0xaa36a7"
  readonly "holesky": "0x4268"
  readonly "polygon": "0x89"
  readonly "polygon amoy": "0x13882"
  readonly "bsc": "0x38"
  readonly "bsc testnet": "0x61"
  readonly "avalanche": "0xa86a"
  readonly "fantom": "0xfa"
  readonly "palm": "0x2a15c308d"
  readonly "cronos": "0x19"
  readonly "arbitrum": "0xa4b1"
  readonly "gnosis": "0x64"
  readonly "gnosis testnet": "0x27d8"
  readonly "chiliz": "0x15b38"
  readonly "chiliz testnet": "0x15b32"
  readonly "base": "0x2105"
  readonly "base sepolia": "0x14a34"
  readonly "optimism": "0xa"
  readonly "optimism sepolia": "0xaa37dc"
  readonly "linea": "0xe708"
  readonly "linea sepolia": "0xe705"
  readonly "moonbeam": "0x504"
  readonly "moonriver": "0x505"
  readonly "moonbase": "0x507"
}

/**
 * A chain: a name or a hexadecimal ID.
 *
 * @since 0.1.0
 * @category values
 */
export type Chain<Name extends ChainName = ChainName> = Name | ChainIds[Name]

/**
 * The chains on which NFT trades are indexed.
 *
 * @since 0.1.0
 * @category values
 */
export type NftTradeChainName = "eth" | "polygon" | "bsc" | "avalanche" | "arbitrum" | "base" | "optimism"

/**
 * The chains for which prices are available.
 *
 * @since 0.1.0
 * @category values
 */
export type PriceChainName =
  | "eth"
  | "polygon"
  | "bsc"
  | "avalanche"
  | "fantom"
  | "palm"
  | "cronos"
  | "arbitrum"
  | "gnosis"
  | "chiliz"
  | "base"
  | "optimism"
  | "linea"
  | "moonbeam"
  | "moonriver"
  | "moonbase"
