/**
 * The sandbox's ledger: chains, blocks, tokens, wallets, transfers, NFTs, trades, prices, streams and ledger
 * transactions, all from one seed and one fixed clock.
 *
 * All eleven operations read the same ledger, so they agree with each other: balances are sums of transfers, an
 * NFT's owner is the receiver of its last transfer, activity spans the first and the last transaction.
 *
 * @since 0.1.0
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { makeAccounts } from "./ledger/Accounts.ts"
import { chainNames } from "./ledger/ChainConfigs.ts"
import { chainLedger } from "./ledger/ChainView.ts"
import { makeExamples } from "./ledger/Examples.ts"
import { lazy } from "./ledger/Lazy.ts"
import { makeLedgerTransactions } from "./ledger/LedgerTransactions.ts"
import { makeStreams } from "./ledger/Streams.ts"

/**
 * A list that is computed where it is read: a million records cost nothing until they are asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sequence<out A> {
  readonly length: number
  readonly at: (index: number) => A | undefined
}

/**
 * A block of a chain.
 *
 * @since 0.1.0
 * @category models
 */
export interface Block {
  readonly number: number
  readonly hash: Hash
  /** Milliseconds since 1970. */
  readonly timestamp: number
}

/**
 * A wallet or a contract, the same on all chains.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wallet {
  readonly address: Address
  readonly label: string | null
  readonly entity: string | null
  readonly entityLogo: string | null
  readonly isContract: boolean
}

/**
 * An ERC20 token.
 *
 * @since 0.1.0
 * @category models
 */
export interface Token {
  readonly address: Address
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly logo: string | null
  readonly possibleSpam: boolean
  readonly verified: boolean
  /** US dollars for one whole token; null where no exchange has a pair. */
  readonly usdPrice: number | null
}

/**
 * An ERC20 transfer. Tokens are minted from and burned to the zero address.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfer {
  readonly token: Address
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
  readonly logIndex: number
  readonly from: Address
  readonly to: Address
  readonly value: bigint
}

/**
 * A contract of NFTs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Collection {
  readonly address: Address
  readonly name: string
  readonly symbol: string
  readonly type: "ERC721" | "ERC1155"
  readonly possibleSpam: boolean
  readonly verified: boolean
  /** Whether it is indexed from the start; otherwise the first read starts its syncing. */
  readonly indexed: boolean
}

/**
 * A transfer of an NFT: `amount` is 1 for ERC721.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftTransfer {
  readonly collection: Address
  readonly tokenId: bigint
  readonly amount: bigint
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
  readonly logIndex: number
  readonly from: Address
  readonly to: Address
}

/**
 * One or more NFTs of a collection for one price; its transfers are in the ledger too.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftSale {
  readonly collection: Address
  readonly tokenIds: ReadonlyArray<bigint>
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
  readonly seller: Address
  readonly buyer: Address
  readonly marketplace: Address
  readonly priceToken: Address
  readonly price: bigint
}

/**
 * What is known of one NFT after its transfers.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftState {
  readonly collection: Address
  readonly tokenId: bigint
  readonly minter: Address
  readonly mintBlock: number
  readonly lastTransferBlock: number
  /** Holders with positive amounts; one of them for ERC721. */
  readonly owners: ReadonlyArray<{ readonly owner: Address; readonly amount: bigint; readonly block: number }>
  readonly lastSale: NftSale | null
}

/**
 * Where a wallet's transactions start and end.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletActivity {
  readonly first: { readonly block: number; readonly transaction: Hash }
  readonly last: { readonly block: number; readonly transaction: Hash }
}

/**
 * One chain. Every sequence ascends by block, then by log index.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChainLedger {
  readonly name: ChainName
  /** The last block that exists. `grown` gives the same chain with more of its future revealed. */
  readonly head: number
  readonly withNewBlocks: (blocks: number) => ChainLedger
  /** A block up to the head, undefined beyond. Block times ascend. */
  readonly block: (number: number) => Block | undefined
  /** The last block up to the head whose time is at most `timestamp` (milliseconds); -1 when there is none. */
  readonly blockAt: (timestamp: number) => number
  /** The ERC20 token that wraps the chain's native token; its price is the native token's. */
  readonly wrappedNative: Address
  readonly tokens: ReadonlyMap<Address, Token>
  readonly collections: ReadonlyMap<Address, Collection>
  readonly walletTransfers: (wallet: Address) => Sequence<TokenTransfer>
  readonly tokenTransfers: (token: Address) => Sequence<TokenTransfer>
  readonly nftTransfers: (collection: Address) => Sequence<NftTransfer>
  readonly walletTrades: (wallet: Address) => Sequence<NftSale>
  /** Holders with positive balances, largest first, equal ones by address. */
  readonly holders: (token: Address) => ReadonlyArray<{ readonly owner: Address; readonly balance: bigint }>
  readonly totalSupply: (token: Address) => bigint
  /** NFTs of a collection that somebody owns, by token id. A burned one is gone. */
  readonly nfts: (collection: Address) => ReadonlyArray<NftState>
  readonly activity: (wallet: Address) => WalletActivity | undefined
}

/**
 * Addresses, ids and hashes worth trying; all of them are on eth but the last three.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerExamples {
  /** Active on many chains, trades NFTs, and has blocks with more than 150 of its transfers. */
  readonly wallet: Address
  /** Has `scale` transfers of the token `busyToken`, and some of others. */
  readonly busyWallet: Address
  readonly busyToken: Address
  /** Was never active. */
  readonly emptyWallet: Address
  /** Verified, priced, held by many. */
  readonly token: Address
  /** No exchange has a pair. Its supply is 2^256 - 1. */
  readonly unpricedToken: Address
  readonly spamToken: Address
  /** Verified, more NFTs than one page holds. */
  readonly collection721: Address
  /** Its ids have up to 77 digits. */
  readonly collection1155: Address
  readonly tokenId721: bigint
  readonly tokenId1155: bigint
  /** Its first read starts its indexing. */
  readonly unindexedCollection: Address
  /** The id of an active stream. */
  readonly stream: string
  /** A committed user transaction of the ledger's mainnet. */
  readonly transaction: Hash
  /** One that is submitted and not committed, on mainnet. */
  readonly pendingTransaction: Hash
}

/**
 * Everything that the service answers from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ledger {
  readonly seed: number
  readonly chains: ReadonlyMap<ChainName, ChainLedger>
  readonly wallets: ReadonlyMap<Address, Wallet>
  /** Records of streams as the service keeps them: at least an active, a paused, an error and a terminated one. */
  readonly streams: ReadonlyArray<{ readonly [field: string]: JsonValue }>
  /** Documents of ledger transactions by hash: every variant, as the ledger's public API documents them. */
  readonly transactions: {
    readonly mainnet: ReadonlyMap<Hash, { readonly [field: string]: JsonValue }>
    readonly testnet: ReadonlyMap<Hash, { readonly [field: string]: JsonValue }>
  }
  readonly examples: LedgerExamples
}

/** The most transfers that the busy token can have without running into the chain's first block. */
const maxScale = 10_000_000

/**
 * The ledger of a seed. Nothing is worked out before it is asked for, and the same seed and scale always give the
 * same ledger.
 *
 * @example
 * import { make } from "@blockquarry/sandbox/Ledger"
 *
 * const ledger = make({ seed: 7, scale: 1_000_000 })
 * const eth = ledger.chains.get("eth")
 * eth?.walletTransfers(ledger.examples.busyWallet).at(999_999)
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  /** Any number; 1 when left out. */
  readonly seed?: number | undefined
  /** How many transfers the busy token has, at most 10,000,000; 10,000 when left out. */
  readonly scale?: number | undefined
} = {}): Ledger => {
  const seed = options.seed ?? 1
  const name = String(seed)
  const scale = Math.max(0, Math.min(maxScale, Math.floor(options.scale ?? 10_000)))
  const accounts = makeAccounts(name)
  const streamRecords = lazy(() => makeStreams(name))
  const mainnet = lazy(() => makeLedgerTransactions(name, "mainnet"))
  const testnet = lazy(() => makeLedgerTransactions(name, "testnet"))
  const exampleValues = lazy(() =>
    makeExamples({ seed: name, accounts: accounts, stream: streamRecords().active, transactions: mainnet() })
  )
  return {
    seed,
    chains: new Map(
      chainNames.map((chain) => [chain, chainLedger({ seed: name, name: chain, accounts: accounts, scale })])
    ),
    wallets: new Map(accounts.all.map((wallet) => [wallet.address, wallet])),
    get streams() {
      return streamRecords().all
    },
    transactions: {
      get mainnet() {
        return mainnet().byHash
      },
      get testnet() {
        return testnet().byHash
      }
    },
    get examples() {
      return exampleValues()
    }
  }
}
