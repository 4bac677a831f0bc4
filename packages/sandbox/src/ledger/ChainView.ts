/** A chain up to a head. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Accounts } from "./Accounts.ts"
import * as Aggregates from "./Aggregates.ts"
import { makeCatalog } from "./Catalog.ts"
import { busyChain, chainConfigs, headTime } from "./ChainConfigs.ts"
import { makeHistory } from "./History.ts"
import { hashes } from "./Identifiers.ts"
import { lazy, lazyBy } from "./Lazy.ts"
import type { ChainLedger, Sequence, TransactionPosition } from "./Model.ts"
import { fromList, isValidIndex, merge } from "./Sequences.ts"
import { syntheticTransfers } from "./SyntheticTransfers.ts"

const none: ReadonlyArray<never> = []

const firstAndLast = <A>(sequence: Sequence<A>): ReadonlyArray<A> =>
  [sequence.at(0), sequence.at(sequence.length - 1)].filter((item) => item !== undefined)

const byTransaction = (left: TransactionPosition, right: TransactionPosition): number =>
  left.block - right.block || left.transactionIndex - right.transactionIndex

/** The items with a value of these members, grouped on first access. */
const grouped = <A, Member extends keyof A>(
  items: () => ReadonlyArray<A>,
  ...members: ReadonlyArray<Member>
) => {
  const groups = lazy(() => Aggregates.groupBy(items(), ...members))
  return (key: A[Member]): ReadonlyArray<A> => groups().get(key) ?? none
}

/** Creates a chain at its initial head. `scale` is the number of transfers of the busy token. */
export const chainLedger = ({ accounts, name, scale, seed }: {
  readonly seed: string
  readonly name: ChainName
  readonly accounts: Accounts
  readonly scale: number
}): ChainLedger => {
  const config = chainConfigs[name]
  const genesis = headTime - config.head * config.blockTime
  const hash = hashes(`${seed}/${name}/block`)
  const catalog = lazy(() => makeCatalog(seed, name))
  const historyUpTo = lazy(() => makeHistory({ seed, chain: name, config, accounts, catalog: catalog() }))
  const busyUpTo = name !== busyChain ? undefined : syntheticTransfers({
    seed,
    token: catalog().busy.address,
    wallet: accounts.busy,
    counterparties: accounts.participants,
    head: config.head,
    scale
  })

  const upTo = (head: number): ChainLedger => {
    const history = lazy(() => historyUpTo()(head))
    const transfersOfToken = grouped(() => history().transfers, "token")
    const transfersOfWallet = grouped(() => history().transfers, "from", "to")
    const nftTransfers = grouped(() => history().nftTransfers, "collection")
    const nftTransfersOfWallet = grouped(() => history().nftTransfers, "from", "to")
    const trades = grouped(() => history().trades, "collection")
    const tradesOfWallet = grouped(() => history().trades, "seller", "buyer")
    const busy = busyUpTo?.(head)
    const asBusy = (token: Address) => token === catalog().busy.address ? busy : undefined
    const busyTransfers = (wallet: Address) => busy?.ofWallet(wallet) ?? fromList(none)

    // Results are cached for existing addresses only, to bound the memory
    const merged = lazyBy((wallet: Address) => merge(transfersOfWallet(wallet), busyTransfers(wallet)))
    const ownHolders = lazyBy((token: Address) =>
      Aggregates.holders(transfersOfToken(token), ({ value }) => value)
    )
    const holders: ChainLedger["holders"] = (token) =>
      asBusy(token)?.holders() ?? (catalog().tokens.has(token) ? ownHolders(token) : none)
    const nfts = lazyBy((collection: Address) =>
      Aggregates.nfts(nftTransfers(collection), trades(collection))
        .filter(({ owners }) => owners.length > 0)
    )
    return {
      name,
      head,
      withNewBlocks: (blocks) => upTo(head + Math.max(0, Math.floor(blocks))),
      block: (number) =>
        isValidIndex(number, head + 1)
          ? { number, hash: hash(number), timestamp: genesis + number * config.blockTime }
          : undefined,
      blockAt: (timestamp) =>
        Math.max(-1, Math.min(head, Math.floor((timestamp - genesis) / config.blockTime))),
      get wrappedNative() {
        return catalog().wrappedNative.token.address
      },
      get tokens() {
        return catalog().tokens
      },
      get collections() {
        return catalog().collections
      },
      walletTransfers: (wallet, tokens) => {
        const transfers = transfersOfWallet(wallet)
        if (tokens === undefined) return transfers.length > 0 ? merged(wallet) : busyTransfers(wallet)
        return merge(
          transfers.filter(({ token }) => tokens.includes(token)),
          tokens.some((token) => asBusy(token)) ? busyTransfers(wallet) : fromList(none)
        )
      },
      tokenTransfers: (token) => asBusy(token)?.all ?? fromList(transfersOfToken(token)),
      nftTransfers: (collection) => fromList(nftTransfers(collection)),
      walletTrades: (wallet) => fromList(tradesOfWallet(wallet)),
      holders,
      nfts: (collection) => catalog().collections.has(collection) ? nfts(collection) : none,
      activity: (wallet) => {
        const lists = [transfersOfWallet(wallet), nftTransfersOfWallet(wallet), tradesOfWallet(wallet)]
        const ends = [...lists.map(fromList<TransactionPosition>), busyTransfers(wallet)]
          .flatMap(firstAndLast)
          .sort(byTransaction)
          .map(({ block, transaction }) => ({ block, transaction }))
        const [first] = ends
        const last = ends.at(-1)
        return first && last && { first, last }
      }
    }
  }
  return upTo(config.head)
}
