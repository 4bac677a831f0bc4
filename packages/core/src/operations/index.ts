/**
 * Every operation of the service, one record for each of its three APIs. The comments above the keys reach the
 * methods of the clients.
 *
 * @since 0.1.0
 */
import { contractNfts } from "./contractNfts.ts"
import { ledgerTransaction } from "./ledgerTransaction.ts"
import { nftMetadata } from "./nftMetadata.ts"
import { nftOwners } from "./nftOwners.ts"
import { tokenOwners } from "./tokenOwners.ts"
import { tokenPrice } from "./tokenPrice.ts"
import { tokenTransfers } from "./tokenTransfers.ts"
import { updateStreamStatus } from "./updateStreamStatus.ts"
import { walletChains } from "./walletChains.ts"
import { walletNftTrades } from "./walletNftTrades.ts"
import { walletTransfers } from "./walletTransfers.ts"

/**
 * The operations of the main API.
 *
 * @since 0.1.0
 * @category operations
 */
export const data = {
  /** ERC20 transfers of a wallet, newest block first unless `order` says otherwise. */
  walletTransfers,
  /** ERC20 transfers of a token contract. */
  tokenTransfers,
  /** NFTs of a contract. A first read starts the collection's indexing: look at `status`. */
  contractNfts,
  /** Owners of one NFT. A first read starts the collection's indexing: look at `status`. */
  nftOwners,
  /** NFT trades of a wallet. */
  walletNftTrades,
  /** Holders of an ERC20 token. Their order is faulty on every chain but eth. */
  tokenOwners,
  /** Metadata of one NFT. A first read starts the collection's indexing: it may not be found yet. */
  nftMetadata,
  /** Price of an ERC20 token in US dollars and in the chain's native token. */
  tokenPrice,
  /** The chains on which a wallet is active. */
  walletChains
}

/**
 * The operations of the streams API.
 *
 * @since 0.1.0
 * @category operations
 */
export const streams = {
  /** Set the status of a stream. Repeated only when it cannot have taken effect. */
  updateStreamStatus
}

/**
 * The operations of the ledger API.
 *
 * @since 0.1.0
 * @category operations
 */
export const ledger = {
  /** A transaction of the ledger, by its hash. */
  ledgerTransaction
}

/**
 * All eleven.
 *
 * @since 0.1.0
 * @category operations
 */
export const all = [...Object.values(data), ...Object.values(streams), ...Object.values(ledger)]

/**
 * The name of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export type OperationId = keyof typeof data | keyof typeof streams | keyof typeof ledger
