/**
 * All operations with their input and output types, and one record of operations for each API. Editors show the comments
 * of the keys on the methods of the clients.
 *
 * @since 0.1.0
 */
import { contractNfts } from "./operations/contractNfts.ts"
import { ledgerTransaction } from "./operations/ledgerTransaction.ts"
import { nftMetadata } from "./operations/nftMetadata.ts"
import { nftOwners } from "./operations/nftOwners.ts"
import { tokenOwners } from "./operations/tokenOwners.ts"
import { tokenPrice } from "./operations/tokenPrice.ts"
import { tokenTransfers } from "./operations/tokenTransfers.ts"
import { updateStreamStatus } from "./operations/updateStreamStatus.ts"
import { walletChains } from "./operations/walletChains.ts"
import { walletNftTrades } from "./operations/walletNftTrades.ts"
import { walletTransfers } from "./operations/walletTransfers.ts"

export * from "./operations/contractNfts.ts"
export * from "./operations/ledgerTransaction.ts"
export * from "./operations/nftMetadata.ts"
export * from "./operations/nftOwners.ts"
export * from "./operations/tokenOwners.ts"
export * from "./operations/tokenPrice.ts"
export * from "./operations/tokenTransfers.ts"
export * from "./operations/updateStreamStatus.ts"
export * from "./operations/walletChains.ts"
export * from "./operations/walletNftTrades.ts"
export * from "./operations/walletTransfers.ts"

/**
 * The type of `dataOperations`.
 *
 * @since 0.1.0
 * @category models
 */
export type DataOperations = {
  /** Lists the ERC20 transfers of a wallet, newest block first by default. */
  readonly walletTransfers: typeof walletTransfers
  /** Lists the transfers of an ERC20 token. */
  readonly tokenTransfers: typeof tokenTransfers
  /**
   * Lists the NFTs of a contract. The first request for a collection starts its indexing. Pages are incomplete until
   * `status` is `SYNCED`.
   */
  readonly contractNfts: typeof contractNfts
  /**
   * Lists the owners of an NFT. The first request for a collection starts its indexing. Pages are incomplete until
   * `status` is `SYNCED`.
   */
  readonly nftOwners: typeof nftOwners
  /** Lists the NFT trades of a wallet. */
  readonly walletNftTrades: typeof walletNftTrades
  /**
   * Lists the holders of an ERC20 token. On chains other than eth the upstream returns
   * them in the wrong order.
   */
  readonly tokenOwners: typeof tokenOwners
  /**
   * Returns the metadata of an NFT. The first request for a collection starts its indexing. Until it completes, an NFT
   * may be reported as not found.
   */
  readonly nftMetadata: typeof nftMetadata
  /** Returns the price of an ERC20 token in US dollars and in the chain's native token. */
  readonly tokenPrice: typeof tokenPrice
  /** Lists the chains on which a wallet is active. */
  readonly walletChains: typeof walletChains
}

/**
 * The operations of the data API.
 *
 * @since 0.1.0
 * @category operations
 */
export const dataOperations: DataOperations = {
  walletTransfers,
  tokenTransfers,
  contractNfts,
  nftOwners,
  walletNftTrades,
  tokenOwners,
  nftMetadata,
  tokenPrice,
  walletChains
}

/**
 * The type of `streamsOperations`.
 *
 * @since 0.1.0
 * @category models
 */
export type StreamsOperations = {
  /** Sets the status of a stream. A failed request is retried only if the upstream cannot have applied it. */
  readonly updateStreamStatus: typeof updateStreamStatus
}

/**
 * The operations of the streams API.
 *
 * @since 0.1.0
 * @category operations
 */
export const streamsOperations: StreamsOperations = { updateStreamStatus }

/**
 * The type of `ledgerOperations`.
 *
 * @since 0.1.0
 * @category models
 */
export type LedgerOperations = {
  /** Returns a ledger transaction by its hash. */
  readonly ledgerTransaction: typeof ledgerTransaction
}

/**
 * The operations of the ledger API.
 *
 * @since 0.1.0
 * @category operations
 */
export const ledgerOperations: LedgerOperations = { ledgerTransaction }

/**
 * The operations of all APIs.
 *
 * @since 0.1.0
 * @category operations
 */
export const allOperations: ReadonlyArray<
  (typeof dataOperations & typeof streamsOperations & typeof ledgerOperations)[OperationId]
> = /* @__PURE__ */ (() => [
  ...Object.values(dataOperations),
  ...Object.values(streamsOperations),
  ...Object.values(ledgerOperations)
])()

/**
 * The ID of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export type OperationId =
  | keyof typeof dataOperations
  | keyof typeof streamsOperations
  | keyof typeof ledgerOperations
