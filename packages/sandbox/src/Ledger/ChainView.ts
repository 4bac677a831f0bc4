/**
 * A chain up to a head: what the service can be asked about it.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { ChainLedger, Sequence, Token } from "../Ledger.ts"
import * as Aggregate from "./Aggregate.ts"
import type { Busy } from "./Busy.ts"
import { busy } from "./Busy.ts"
import type { Catalog } from "./Catalog.ts"
import { catalog } from "./Catalog.ts"
import { busyChain, chains, headTime } from "./Chains.ts"
import type { History } from "./History.ts"
import { history } from "./History.ts"
import { hashes } from "./Identity.ts"
import { lazy, lazyBy } from "./Lazy.ts"
import type { Places } from "./Places.ts"
import { makePlaces } from "./Places.ts"
import { fromList, merge, within } from "./Sequences.ts"
import type { Cast } from "./Wallets.ts"

/** What the views of one chain share, whatever their heads. */
interface Source {
  readonly name: ChainName
  readonly catalog: () => Catalog
  readonly history: (head: number) => History
  /** The busy token, on the one chain that has it. */
  readonly busy: { readonly token: Token; readonly transfers: Busy; readonly places: Places } | undefined
  readonly hash: (block: number) => Hash
}

const none: ReadonlyArray<never> = []

/** The first and the last item. */
const ends = <A>(sequence: Sequence<A>): ReadonlyArray<A> =>
  [sequence.at(0), sequence.at(sequence.length - 1)].filter((item) => item !== undefined)

/** The busy token up to a head, or nothing. */
const busyUpTo = (source: Source, head: number) => {
  if (source.busy === undefined) return undefined
  const { places, token, transfers } = source.busy
  const count = places.count(head)
  return {
    address: token.address,
    all: transfers.all(count),
    of: (wallet: Address) => transfers.of(wallet, count),
    holders: lazy(() => Aggregate.holders(transfers.balances(count))),
    supply: lazy(() => transfers.supply(count))
  }
}

/** Everything up to a head, sorted out in the ways that it is asked for. */
const sortedOut = (history: () => History) => ({
  tokens: lazy(() => Aggregate.groupBy(history().transfers, ({ token }) => token)),
  wallets: lazy(() => Aggregate.groupByParty(history().transfers, ({ from, to }) => [from, to])),
  collections: lazy(() => Aggregate.groupBy(history().nftTransfers, ({ collection }) => collection)),
  nftWallets: lazy(() => Aggregate.groupByParty(history().nftTransfers, ({ from, to }) => [from, to])),
  collectionTrades: lazy(() => Aggregate.groupBy(history().trades, ({ collection }) => collection)),
  walletTrades: lazy(() => Aggregate.groupByParty(history().trades, ({ buyer, seller }) => [seller, buyer]))
})

const view = (source: Source, head: number): ChainLedger => {
  const { catalog, hash, name } = source
  const setup = chains[name]
  const genesis = headTime - setup.head * setup.blockTime
  const past = sortedOut(lazy(() => source.history(head)))
  const busy = busyUpTo(source, head)

  // Answers are kept for what exists, never for any address that somebody may ask about
  const merged = lazyBy((wallet: Address) =>
    merge(past.wallets().get(wallet) ?? none, busy?.of(wallet) ?? fromList(none))
  )
  const holders = lazyBy((token: Address) =>
    Aggregate.holders(Aggregate.balances(past.tokens().get(token) ?? none))
  )
  const nfts = lazyBy((collection: Address) =>
    Aggregate.nfts(
      past.collections().get(collection) ?? none,
      past.collectionTrades().get(collection) ?? none
    ).filter(({ owners }) => owners.length > 0)
  )
  return {
    name,
    head,
    grown: (blocks) => view(source, head + Math.max(0, Math.floor(blocks))),
    block: (number) =>
      within(number, head + 1)
        ? { number, hash: hash(number), timestamp: genesis + number * setup.blockTime }
        : undefined,
    blockAt: (timestamp) => Math.max(-1, Math.min(head, Math.floor((timestamp - genesis) / setup.blockTime))),
    get wrappedNative() {
      return catalog().wrapped.token.address
    },
    get tokens() {
      return catalog().tokens
    },
    get collections() {
      return catalog().collections
    },
    walletTransfers: (wallet) =>
      past.wallets().has(wallet) ? merged(wallet) : busy?.of(wallet) ?? fromList(none),
    tokenTransfers: (token) =>
      token === busy?.address ? busy.all : fromList(past.tokens().get(token) ?? none),
    nftTransfers: (collection) => fromList(past.collections().get(collection) ?? none),
    walletTrades: (wallet) => fromList(past.walletTrades().get(wallet) ?? none),
    holders: (token) =>
      token === busy?.address ? busy.holders() : past.tokens().has(token) ? holders(token) : none,
    totalSupply: (token) =>
      token === busy?.address ? busy.supply() : Aggregate.totalSupply(past.tokens().get(token) ?? none),
    nfts: (collection) => (past.collections().has(collection) ? nfts(collection) : none),
    activity: (wallet) =>
      Aggregate.activity([
        ...(past.wallets().get(wallet) ?? none),
        ...(past.nftWallets().get(wallet) ?? none),
        ...(past.walletTrades().get(wallet) ?? none),
        ...ends(busy?.of(wallet) ?? fromList(none))
      ])
  }
}

interface Options {
  readonly seed: string
  readonly name: ChainName
  readonly cast: Cast
  /** How many transfers the busy token has. */
  readonly scale: number
}

const busyToken = ({ cast, name, scale, seed }: Options, token: Token) => {
  const places = makePlaces(seed, chains[name].head, scale)
  return {
    token,
    places,
    transfers: busy({ seed, token: token.address, wallet: cast.busy, people: cast.people, places })
  }
}

/** A chain at its first head. */
export const chainLedger = (options: Options): ChainLedger => {
  const { cast, name, seed } = options
  const setup = chains[name]
  const goods = lazy(() => catalog(seed, name))
  const pass = lazy(() => history({ seed, chain: name, setup, cast, catalog: goods() }))
  return view({
    name,
    catalog: goods,
    history: (head) => pass()(head),
    busy: name === busyChain ? busyToken(options, goods().busy) : undefined,
    hash: hashes(`${seed}/${name}/block`)
  }, setup.head)
}
