/** Addresses, IDs and hashes for examples. All except the stream and the transactions are on the busy token's chain. */
import type { Accounts } from "./Accounts.ts"
import { catalog } from "./Catalog.ts"
import { busyChain } from "./ChainConfigs.ts"
import { firstHashedId } from "./History.ts"
import type { LedgerTransactions } from "./LedgerTransactions.ts"
import type { LedgerExamples } from "./Model.ts"

/** Creates the examples of a seed. */
export const makeExamples = (options: {
  readonly seed: string
  readonly accounts: Accounts
  readonly stream: string
  readonly transactions: LedgerTransactions
}): LedgerExamples => {
  const { accounts, seed, stream, transactions } = options
  const { busy, stablecoin, unindexed, portraits, spam, unpriced, workshop } = catalog(
    seed,
    busyChain
  )
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
    stream,
    transaction: transactions.user,
    pendingTransaction: transactions.pending
  }
}
