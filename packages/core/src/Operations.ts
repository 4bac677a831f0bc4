/**
 * Every operation of the service, one record for each of its three APIs. The comments above the keys reach the
 * methods of the clients.
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

/**
 * The operations of the main API.
 *
 * @since 0.1.0
 * @category operations
 */
export const dataOperations = {
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
export const streamsOperations = {
  /** Set the status of a stream. Repeated only when it cannot have taken effect. */
  updateStreamStatus
}

/**
 * The operations of the ledger API.
 *
 * @since 0.1.0
 * @category operations
 */
export const ledgerOperations = {
  /** A transaction of the ledger, by its hash. */
  ledgerTransaction
}

/**
 * All eleven.
 *
 * @since 0.1.0
 * @category operations
 */
export const allOperations = [
  ...Object.values(dataOperations),
  ...Object.values(streamsOperations),
  ...Object.values(ledgerOperations)
]

/**
 * The name of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export type OperationId =
  | keyof typeof dataOperations
  | keyof typeof streamsOperations
  | keyof typeof ledgerOperations
