/**
 * Addresses, ids and hashes worth trying. All but the stream and the transactions are on the busy token's chain.
 */
import type { LedgerExamples } from "../Ledger.ts"
import type { Accounts } from "./Accounts.ts"
import { catalog } from "./Catalog.ts"
import { busyChain } from "./ChainConfigs.ts"
import { firstHashedId } from "./History.ts"
import type { LedgerTransactions } from "./LedgerTransactions.ts"

/** The examples of a seed. */
export const makeExamples = (options: {
  readonly seed: string
  readonly accounts: Accounts
  readonly stream: string
  readonly transactions: LedgerTransactions
}): LedgerExamples => {
  const { accounts: cast, seed, stream, transactions } = options
  const { busy, stablecoin: dollar, unindexed: hidden, portraits, spam, unpriced, workshop } = catalog(
    seed,
    busyChain
  )
  return {
    wallet: cast.main,
    busyWallet: cast.busy,
    busyToken: busy.address,
    emptyWallet: cast.empty,
    token: dollar.token.address,
    unpricedToken: unpriced.token.address,
    spamToken: spam.token.address,
    collection721: portraits.collection.address,
    collection1155: workshop.collection.address,
    tokenId721: 1n,
    tokenId1155: firstHashedId(workshop.collection.address),
    unindexedCollection: hidden.collection.address,
    stream,
    transaction: transactions.user,
    pendingTransaction: transactions.pending
  }
}
