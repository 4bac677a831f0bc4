/**
 * Addresses, ids and hashes worth trying. All but the stream and the transactions are on the busy token's chain.
 */
import type { Examples } from "../Ledger.ts"
import { catalog } from "./Catalog.ts"
import { busyChain } from "./Chains.ts"
import { firstHashedId } from "./History.ts"
import type { Transactions } from "./Transactions.ts"
import type { Cast } from "./Wallets.ts"

/** The examples of a seed. */
export const examples = (options: {
  readonly seed: string
  readonly cast: Cast
  readonly stream: string
  readonly transactions: Transactions
}): Examples => {
  const { cast, seed, stream, transactions } = options
  const { busy, dollar, hidden, portraits, spam, unpriced, workshop } = catalog(seed, busyChain)
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
    unindexed: hidden.collection.address,
    stream,
    transaction: transactions.user,
    pendingTransaction: transactions.pending
  }
}
