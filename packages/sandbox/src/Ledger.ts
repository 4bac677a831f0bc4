/**
 * The synthetic data of the sandbox: chains, blocks, tokens, wallets, transfers, NFTs, trades, prices, streams and
 * ledger transactions, generated from a seed and a fixed clock.
 *
 * All operations read the same data and are consistent with each other: balances are sums of transfers, the owner of an
 * NFT is the recipient of its last transfer, and activity spans the first and the last transaction.
 */
import { evmChains } from "@blockquarry/core/Chain"
import { makeAccounts } from "./ledger/Accounts.ts"
import { firstHashedId, makeCatalog } from "./ledger/Catalog.ts"
import { busyChain } from "./ledger/ChainConfigs.ts"
import { chainLedger } from "./ledger/ChainView.ts"
import { lazy } from "./ledger/Lazy.ts"
import { makeLedgerTransactions } from "./ledger/LedgerTransactions.ts"
import type { Ledger } from "./ledger/Model.ts"
import { makeStream } from "./ledger/Streams.ts"

export type * from "./ledger/Model.ts"

/** The maximum number of transfers of the busy token that fit between the first block and the head. */
const maxScale = 10_000_000

/**
 * Creates the ledger of a seed. Data are generated on first access. Equal seeds and scales give equal ledgers.
 *
 * @example
 * import { make } from "@blockquarry/sandbox/Ledger"
 *
 * const ledger = make({ seed: 7, scale: 1_000_000 })
 * const eth = ledger.chains.get("eth")
 * eth?.walletTransfers(ledger.examples.busyWallet).at(999_999)
 */
export const make = (options: {
  /** Seed of the synthetic data. Default: 1. */
  readonly seed?: number | undefined
  /** Number of transfers of the busy token, at most 10,000,000. Default: 10,000. */
  readonly scale?: number | undefined
} = {}): Ledger => {
  const seed = options.seed ?? 1
  const name = String(seed)
  const scale = Math.max(0, Math.min(maxScale, Math.floor(options.scale ?? 10_000)))
  const accounts = makeAccounts(name)
  const stream = lazy(() => makeStream(name))
  const mainnet = lazy(() => makeLedgerTransactions(name, "mainnet"))
  const testnet = lazy(() => makeLedgerTransactions(name, "testnet"))
  const exampleValues = lazy(() => {
    const { busy, portraits, spam, stablecoin, unindexed, unpriced, workshop } = makeCatalog(name, busyChain)
    return {
      wallet: accounts.main,
      busyWallet: accounts.busy,
      busyToken: busy.address,
      emptyWallet: accounts.empty,
      token: stablecoin.token.address,
      unpricedToken: unpriced.token.address,
      spamToken: spam.token.address,
      collection721: portraits.collection.address,
      collection1155: workshop.collection.address,
      tokenId721: 1n,
      tokenId1155: firstHashedId(workshop.collection.address),
      unindexedCollection: unindexed.collection.address,
      stream: stream().id,
      transaction: mainnet().user,
      pendingTransaction: mainnet().pending
    }
  })
  return {
    seed,
    chains: new Map(
      evmChains.map((chain) => [chain, chainLedger({ seed: name, name: chain, accounts, scale })])
    ),
    wallets: new Map(accounts.all.map((wallet) => [wallet.address, wallet])),
    get streams() {
      return [stream()]
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
