/**
 * The inputs of operations. `test/types.test.ts` checks that these types are those of `@blockquarry/core`.
 *
 * @since 0.1.0
 */
import type { Chain, NftTradeChainName, PriceChainName } from "./Chain.ts"
import type { OpenEnum } from "./Values.ts"

interface ChainParameter {
  /** Chain name or hexadecimal chain ID */
  readonly chain?: Chain | undefined
}

interface PageParameters {
  /** Maximum number of records per page */
  readonly limit?: number | undefined
  /** Cursor returned with the previous page */
  readonly cursor?: string | undefined
}

interface BlockOrderParameter {
  /** Sort order by block number */
  readonly order?: "ASC" | "DESC" | undefined
}

interface NftContentParameters {
  /** Include normalized metadata */
  readonly normalizeMetadata?: boolean | undefined
  /** Include preview images */
  readonly media_items?: boolean | undefined
}

interface TokenIdFormatParameter {
  /** Format of token IDs in the response */
  readonly format?: string | undefined
}

/**
 * A date: a `Date`, ISO 8601 (calendar, week and ordinal dates, basic or extended), or any other string that `Date.parse`
 * accepts, such as that of RFC 2822. It must name an existing date.
 *
 * @since 0.1.0
 * @category values
 */
export type TimeInput = string | Date

/** A lower bound: a block or a date, not both. */
type LowerBound<DateInput> =
  | {
    /** First block, inclusive; takes precedence over from_date */
    readonly from_block?: number | undefined
    readonly from_date?: never
  }
  | {
    readonly from_block?: never
    /** Earliest date; UTC if no time zone is given */
    readonly from_date?: DateInput | undefined
  }

/** An upper bound: a block or a date, not both. */
type UpperBound<DateInput> =
  | {
    /** Last block, inclusive; takes precedence over to_date */
    readonly to_block?: number | undefined
    readonly to_date?: never
  }
  | {
    readonly to_block?: never
    /** Latest date; UTC if no time zone is given */
    readonly to_date?: DateInput | undefined
  }

/**
 * The input of `walletTransfers`.
 *
 * @since 0.1.0
 * @category inputs
 */
export type WalletTransfersInput =
  & ChainParameter
  & PageParameters
  & BlockOrderParameter
  & {
    /** Wallet address */
    readonly address: string
    /** Limit the result to transfers of these token contracts */
    readonly contract_addresses?: ReadonlyArray<string> | undefined
  }
  & LowerBound<TimeInput>
  & UpperBound<TimeInput>

/**
 * The input of `tokenTransfers`.
 *
 * @since 0.1.0
 * @category inputs
 */
export type TokenTransfersInput =
  & ChainParameter
  & PageParameters
  & BlockOrderParameter
  & {
    /** Address of the token contract */
    readonly address: string
  }
  & LowerBound<TimeInput>
  & UpperBound<TimeInput>

/**
 * The input of `contractNfts`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ContractNftsInput
  extends ChainParameter, TokenIdFormatParameter, PageParameters, NftContentParameters
{
  /** Address of the NFT contract */
  readonly address: string
  /** Maximum number of records per page (default: 100) */
  readonly limit?: number | undefined
  /** Number of subranges that the collection is split into */
  readonly totalRanges?: number | undefined
  /** Subrange to return, starting at 1; requires totalRanges */
  readonly range?: number | undefined
}

/**
 * The input of `nftOwners`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface NftOwnersInput
  extends ChainParameter, TokenIdFormatParameter, PageParameters, NftContentParameters
{
  /** Address of the NFT contract */
  readonly address: string
  /** Token ID, in decimal or in hexadecimal with 0x */
  readonly token_id: string | bigint
}

/**
 * The input of `walletNftTrades`.
 *
 * @since 0.1.0
 * @category inputs
 */
export type WalletNftTradesInput =
  & PageParameters
  & {
    /** Wallet address */
    readonly address: string
    /** Chain name or hexadecimal chain ID */
    readonly chain?: Chain<NftTradeChainName> | undefined
  }
  & LowerBound<TimeInput | number>
  & UpperBound<TimeInput | number>

/**
 * The input of `tokenOwners`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TokenOwnersInput extends ChainParameter, PageParameters {
  /** Address of the token contract */
  readonly token_address: string
  /** Sort order by balance */
  readonly order?: "ASC" | "DESC" | undefined
}

/**
 * The input of `nftMetadata`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface NftMetadataInput extends ChainParameter, NftContentParameters {
  /** Address of the NFT contract */
  readonly address: string
  /** Token ID, in decimal or in hexadecimal with 0x */
  readonly token_id: string | bigint
  /** Format of token IDs in the response */
  readonly format?: "decimal" | "hex" | undefined
}

/**
 * The input of `tokenPrice`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TokenPriceInput {
  /** Address of the token contract */
  readonly address: string
  /** Chain name or hexadecimal chain ID */
  readonly chain?: Chain<PriceChainName> | undefined
  /** percent_change includes the 24-hour price change */
  readonly include?: "percent_change" | undefined
  /** Exchange name or factory address */
  readonly exchange?: string | undefined
  /** Block at which the price is evaluated (default: latest) */
  readonly to_block?: number | undefined
}

/**
 * The input of `walletChains`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface WalletChainsInput {
  /** Wallet address */
  readonly address: string
  /** Limit the result to these chains, by name or hexadecimal chain ID */
  readonly chains?: ReadonlyArray<OpenEnum<Chain>> | undefined
}

/**
 * The input of `updateStreamStatus`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface UpdateStreamStatusInput {
  /** Stream ID */
  readonly id: string
  /** New status of the stream */
  readonly status: "active" | "paused" | "error" | "terminated"
}

/**
 * The input of `ledgerTransaction`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface LedgerTransactionInput {
  /** Transaction hash */
  readonly txn_hash: string
}
