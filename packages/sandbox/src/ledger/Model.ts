/** The types of the synthetic data. See `Ledger.ts`. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { JsonValue } from "@blockquarry/core/LosslessJson"

/** A list that computes its items on access. A million records take no memory until they are read. */
export interface Sequence<out A> {
  readonly length: number
  readonly at: (index: number) => A | undefined
}

/** A block of a chain. */
export interface Block {
  readonly number: number
  readonly hash: Hash
  /** Milliseconds since 1970. */
  readonly timestamp: number
}

/** A wallet or a contract, the same on all chains. */
export interface Wallet {
  readonly address: Address
  readonly label: string | null
  readonly entity: string | null
  readonly entityLogo: string | null
  readonly isContract: boolean
}

/** An ERC20 token. */
export interface Token {
  readonly address: Address
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly logo: string | null
  readonly possibleSpam: boolean
  readonly verified: boolean
  /** US dollars for one whole token; null if no exchange has a pair. */
  readonly usdPrice: number | null
}

/** The transaction of an event. */
export interface TransactionPosition {
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
}

/** The position of an event. Equal to that of no other event of the chain. */
export interface LogPosition extends TransactionPosition {
  readonly logIndex: number
}

/** An ERC20 transfer. A mint is a transfer from the zero address, a burn is a transfer to it. */
export interface TokenTransfer extends LogPosition {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
}

/** An NFT contract. */
export interface Collection {
  readonly address: Address
  readonly name: string
  readonly symbol: string
  readonly type: "ERC721" | "ERC1155"
  readonly possibleSpam: boolean
  readonly verified: boolean
  /** Whether the collection is indexed initially. Otherwise the first request starts its indexing. */
  readonly indexed: boolean
}

/** A transfer of an NFT. `amount` is 1 for ERC721. */
export interface NftTransfer extends LogPosition {
  readonly collection: Address
  readonly tokenId: bigint
  readonly amount: bigint
  readonly from: Address
  readonly to: Address
}

/** A sale of one or more NFTs of a collection for one price. The ledger also contains its transfers. */
export interface NftSale extends TransactionPosition {
  readonly collection: Address
  readonly tokenIds: ReadonlyArray<bigint>
  readonly seller: Address
  readonly buyer: Address
  readonly marketplace: Address
  readonly priceToken: Address
  readonly price: bigint
}

/** The state of an NFT after its transfers. */
export interface NftState {
  readonly collection: Address
  readonly tokenId: bigint
  readonly minter: Address
  readonly mintBlock: number
  readonly lastTransferBlock: number
  /** Holders with positive amounts; exactly one for ERC721. */
  readonly owners: ReadonlyArray<{ readonly owner: Address; readonly amount: bigint; readonly block: number }>
  readonly lastSale: NftSale | null
}

/** The first and last transaction of a wallet. */
export interface WalletActivity {
  readonly first: Pick<TransactionPosition, "block" | "transaction">
  readonly last: Pick<TransactionPosition, "block" | "transaction">
}

/** A chain. Sequences are ordered by block, then by log index. */
export interface ChainLedger {
  readonly name: ChainName
  /** The number of the latest block. */
  readonly head: number
  /** Returns the chain with additional blocks after its head. */
  readonly withNewBlocks: (blocks: number) => ChainLedger
  /** Returns a block, or undefined after the head. Timestamps are strictly ascending. */
  readonly block: (number: number) => Block | undefined
  /** Returns the last block with a time of at most `timestamp` (milliseconds), or -1 if there is none. */
  readonly blockAt: (timestamp: number) => number
  /** The ERC20 token that wraps the native token and has its price. */
  readonly wrappedNative: Address
  readonly tokens: ReadonlyMap<Address, Token>
  readonly collections: ReadonlyMap<Address, Collection>
  /** Returns the transfers from or to a wallet; with `tokens`, of these only. */
  readonly walletTransfers: (
    wallet: Address,
    tokens?: ReadonlyArray<Address>
  ) => Sequence<TokenTransfer>
  readonly tokenTransfers: (token: Address) => Sequence<TokenTransfer>
  readonly nftTransfers: (collection: Address) => Sequence<NftTransfer>
  readonly walletTrades: (wallet: Address) => Sequence<NftSale>
  /** Holders with positive balances, largest balance first, equal balances by address. */
  readonly holders: (token: Address) => ReadonlyArray<{ readonly owner: Address; readonly balance: bigint }>
  /** NFTs of a collection by token ID, without burned ones. */
  readonly nfts: (collection: Address) => ReadonlyArray<NftState>
  readonly activity: (wallet: Address) => WalletActivity | undefined
}

/** Addresses, IDs and hashes for examples. All except the last three are on eth. */
export interface LedgerExamples {
  /** Active on many chains, trades NFTs, and has blocks with more than 150 of its transfers. */
  readonly wallet: Address
  /** Has `scale` transfers of the token `busyToken`, and some of others. */
  readonly busyWallet: Address
  readonly busyToken: Address
  /** Has no activity. */
  readonly emptyWallet: Address
  /** Verified, with a price and many holders. */
  readonly token: Address
  /** Has no price, and a supply of 2^256 - 1. */
  readonly unpricedToken: Address
  readonly spamToken: Address
  /** Verified, with more NFTs than fit on one page. */
  readonly collection721: Address
  /** Has token IDs with up to 77 digits. */
  readonly collection1155: Address
  readonly tokenId721: bigint
  readonly tokenId1155: bigint
  /** The first request starts its indexing. */
  readonly unindexedCollection: Address
  /** The ID of the stream. */
  readonly stream: string
  /** A committed user transaction on the mainnet of the ledger. */
  readonly transaction: Hash
  /** A submitted but not committed transaction on mainnet. */
  readonly pendingTransaction: Hash
}

/** The complete data of a sandbox. */
export interface Ledger {
  readonly seed: number
  readonly chains: ReadonlyMap<ChainName, ChainLedger>
  readonly wallets: ReadonlyMap<Address, Wallet>
  readonly streams: ReadonlyArray<{ readonly [field: string]: JsonValue }>
  /** JSON documents of ledger transactions by hash, in every variant that the ledger's public API documents. */
  readonly transactions: {
    readonly mainnet: ReadonlyMap<Hash, { readonly [field: string]: JsonValue }>
    readonly testnet: ReadonlyMap<Hash, { readonly [field: string]: JsonValue }>
  }
  readonly examples: LedgerExamples
}
