/** A chain up to a head. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { Accounts } from "./Accounts.ts"
import * as Aggregates from "./Aggregates.ts"
import type { BlockLayout } from "./BlockLayout.ts"
import { makeBlockLayout } from "./BlockLayout.ts"
import type { Catalog } from "./Catalog.ts"
import { catalog } from "./Catalog.ts"
import { busyChain, chainConfigs, headTime } from "./ChainConfigs.ts"
import type { ChainHistory } from "./History.ts"
import { makeHistory } from "./History.ts"
import { hashes } from "./Identifiers.ts"
import { lazy, lazyBy } from "./Lazy.ts"
import type { ChainLedger, Sequence, Token } from "./Model.ts"
import { fromList, isValidIndex, merge } from "./Sequences.ts"
import type { SyntheticTransfers } from "./SyntheticTransfers.ts"
import { syntheticTransfers } from "./SyntheticTransfers.ts"

/** The data that views of a chain with different heads share. */
interface ChainSource {
  readonly name: ChainName
  readonly catalog: () => Catalog
  readonly history: (head: number) => ChainHistory
  /** Set on the chain of the busy token only. */
  readonly busy: {
    readonly token: Token
    readonly transfers: SyntheticTransfers
    readonly layout: BlockLayout
  } | undefined
  readonly hash: (block: number) => Hash
}

const emptyList: ReadonlyArray<never> = []

const firstAndLast = <A>(sequence: Sequence<A>): ReadonlyArray<A> =>
  [sequence.at(0), sequence.at(sequence.length - 1)].filter((item) => item !== undefined)

/** The busy token up to a head, or undefined if the chain does not have it. */
const syntheticUpTo = (source: ChainSource, head: number) => {
  if (source.busy === undefined) return undefined
  const { layout, token, transfers } = source.busy
  const count = layout.count(head)
  return {
    address: token.address,
    all: transfers.all(count),
    of: (wallet: Address) => transfers.ofWallet(wallet, count),
    holders: lazy(() => Aggregates.holders(transfers.balances(count))),
    supply: lazy(() => transfers.supply(count))
  }
}

/** The history grouped by token, wallet and collection. */
const groupHistory = (history: () => ChainHistory) => ({
  tokens: lazy(() => Aggregates.groupBy(history().transfers, ({ token }) => token)),
  wallets: lazy(() => Aggregates.groupByParticipant(history().transfers, ({ from, to }) => [from, to])),
  collections: lazy(() => Aggregates.groupBy(history().nftTransfers, ({ collection }) => collection)),
  nftWallets: lazy(() => Aggregates.groupByParticipant(history().nftTransfers, ({ from, to }) => [from, to])),
  collectionTrades: lazy(() => Aggregates.groupBy(history().trades, ({ collection }) => collection)),
  walletTrades: lazy(() =>
    Aggregates.groupByParticipant(history().trades, ({ buyer, seller }) => [seller, buyer])
  )
})

const makeView = (source: ChainSource, head: number): ChainLedger => {
  const { catalog, hash, name } = source
  const config = chainConfigs[name]
  const genesis = headTime - config.head * config.blockTime
  const grouped = groupHistory(lazy(() => source.history(head)))
  const busy = syntheticUpTo(source, head)

  // Results are cached for existing addresses only, to bound the memory
  const mergedTransfers = lazyBy((wallet: Address) =>
    merge(grouped.wallets().get(wallet) ?? emptyList, busy?.of(wallet) ?? fromList(emptyList))
  )
  const holders = lazyBy((token: Address) =>
    Aggregates.holders(Aggregates.balances(grouped.tokens().get(token) ?? emptyList))
  )
  const nfts = lazyBy((collection: Address) =>
    Aggregates.nfts(
      grouped.collections().get(collection) ?? emptyList,
      grouped.collectionTrades().get(collection) ?? emptyList
    ).filter(({ owners }) => owners.length > 0)
  )
  return {
    name,
    head,
    withNewBlocks: (blocks) => makeView(source, head + Math.max(0, Math.floor(blocks))),
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
    walletTransfers: (wallet) =>
      grouped.wallets().has(wallet) ? mergedTransfers(wallet) : busy?.of(wallet) ?? fromList(emptyList),
    tokenTransfers: (token) =>
      token === busy?.address ? busy.all : fromList(grouped.tokens().get(token) ?? emptyList),
    nftTransfers: (collection) => fromList(grouped.collections().get(collection) ?? emptyList),
    walletTrades: (wallet) => fromList(grouped.walletTrades().get(wallet) ?? emptyList),
    holders: (token) =>
      token === busy?.address ? busy.holders() : grouped.tokens().has(token) ? holders(token) : emptyList,
    totalSupply: (token) =>
      token === busy?.address
        ? busy.supply()
        : Aggregates.totalSupply(grouped.tokens().get(token) ?? emptyList),
    nfts: (collection) => (grouped.collections().has(collection) ? nfts(collection) : emptyList),
    activity: (wallet) =>
      Aggregates.activity([
        ...(grouped.wallets().get(wallet) ?? emptyList),
        ...(grouped.nftWallets().get(wallet) ?? emptyList),
        ...(grouped.walletTrades().get(wallet) ?? emptyList),
        ...firstAndLast(busy?.of(wallet) ?? fromList(emptyList))
      ])
  }
}

interface ChainViewOptions {
  readonly seed: string
  readonly name: ChainName
  readonly accounts: Accounts
  /** Number of transfers of the busy token. */
  readonly scale: number
}

const makeBusyToken = ({ accounts, name, scale, seed }: ChainViewOptions, token: Token) => {
  const layout = makeBlockLayout(seed, chainConfigs[name].head, scale)
  return {
    token,
    layout,
    transfers: syntheticTransfers({
      seed,
      token: token.address,
      wallet: accounts.busy,
      counterparties: accounts.participants,
      layout
    })
  }
}

/** Creates a chain at its initial head. */
export const chainLedger = (options: ChainViewOptions): ChainLedger => {
  const { accounts, name, seed } = options
  const config = chainConfigs[name]
  const lazyCatalog = lazy(() => catalog(seed, name))
  const lazyHistory = lazy(() => makeHistory({ seed, chain: name, config, accounts, catalog: lazyCatalog() }))
  return makeView({
    name,
    catalog: lazyCatalog,
    history: (head) => lazyHistory()(head),
    busy: name === busyChain ? makeBusyToken(options, lazyCatalog().busy) : undefined,
    hash: hashes(`${seed}/${name}/block`)
  }, config.head)
}
