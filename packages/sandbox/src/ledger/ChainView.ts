/** A chain up to a head. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { Accounts } from "./Accounts.ts"
import * as Aggregates from "./Aggregates.ts"
import { makeBlockLayout } from "./BlockLayout.ts"
import { type Catalog, catalog } from "./Catalog.ts"
import { busyChain, chainConfigs, headTime } from "./ChainConfigs.ts"
import { type ChainHistory, makeHistory } from "./History.ts"
import { hashes } from "./Identifiers.ts"
import { lazy, lazyBy } from "./Lazy.ts"
import type { ChainLedger, Sequence } from "./Model.ts"
import { fromList, isValidIndex, merge } from "./Sequences.ts"
import { type SyntheticToken, syntheticTransfers } from "./SyntheticTransfers.ts"

/** The data that views of a chain with different heads share. */
interface ChainSource {
  readonly name: ChainName
  readonly catalog: () => Catalog
  readonly history: (head: number) => ChainHistory
  /** The busy token up to a head. Set on its chain only. */
  readonly busy: ((head: number) => SyntheticToken) | undefined
  readonly hash: (block: number) => Hash
}

const none: ReadonlyArray<never> = []

const firstAndLast = <A>(sequence: Sequence<A>): ReadonlyArray<A> =>
  [sequence.at(0), sequence.at(sequence.length - 1)].filter((item) => item !== undefined)

/** The lists of a history by token, collection and wallet, each grouped on first access. */
const groupHistory = (history: () => ChainHistory) => {
  const index = <List extends keyof ChainHistory, Member extends keyof ChainHistory[List][number]>(
    list: List,
    ...members: ReadonlyArray<Member>
  ) => {
    type Item = ChainHistory[List][number]
    const groups = lazy(() => Aggregates.groupBy<Item, Member>(history()[list], ...members))
    return (key: Item[Member]): ReadonlyArray<Item> => groups().get(key) ?? none
  }
  return {
    tokenTransfers: index("transfers", "token"),
    walletTransfers: index("transfers", "from", "to"),
    nftTransfers: index("nftTransfers", "collection"),
    walletNftTransfers: index("nftTransfers", "from", "to"),
    trades: index("trades", "collection"),
    walletTrades: index("trades", "seller", "buyer")
  }
}

const makeView = (source: ChainSource, head: number): ChainLedger => {
  const { catalog, hash, name } = source
  const config = chainConfigs[name]
  const genesis = headTime - config.head * config.blockTime
  const grouped = groupHistory(lazy(() => source.history(head)))
  const busy = source.busy?.(head)
  const asBusy = (token: Address) => busy !== undefined && token === catalog().busy.address ? busy : undefined
  const busyTransfers = (wallet: Address) => busy?.ofWallet(wallet) ?? fromList(none)

  // Results are cached for existing addresses only, to bound the memory
  const merged = lazyBy((wallet: Address) => merge(grouped.walletTransfers(wallet), busyTransfers(wallet)))
  const ownHolders = lazyBy((token: Address) =>
    Aggregates.holders(Aggregates.balances(grouped.tokenTransfers(token)))
  )
  const holders: ChainLedger["holders"] = (token) =>
    asBusy(token)?.holders() ?? (catalog().tokens.has(token) ? ownHolders(token) : none)
  const nfts = lazyBy((collection: Address) =>
    Aggregates.nfts(grouped.nftTransfers(collection), grouped.trades(collection))
      .filter(({ owners }) => owners.length > 0)
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
    walletTransfers: (wallet, tokens) => {
      const transfers = grouped.walletTransfers(wallet)
      if (tokens === undefined) return transfers.length > 0 ? merged(wallet) : busyTransfers(wallet)
      return merge(
        transfers.filter(({ token }) => tokens.includes(token)),
        tokens.some((token) => asBusy(token)) ? busyTransfers(wallet) : fromList(none)
      )
    },
    tokenTransfers: (token) => asBusy(token)?.all ?? fromList(grouped.tokenTransfers(token)),
    nftTransfers: (collection) => fromList(grouped.nftTransfers(collection)),
    walletTrades: (wallet) => fromList(grouped.walletTrades(wallet)),
    holders,
    totalSupply: (token) => holders(token).reduce((sum, { balance }) => sum + balance, 0n),
    nfts: (collection) => catalog().collections.has(collection) ? nfts(collection) : none,
    activity: (wallet) =>
      Aggregates.activity([
        ...grouped.walletTransfers(wallet),
        ...grouped.walletNftTransfers(wallet),
        ...grouped.walletTrades(wallet),
        ...firstAndLast(busyTransfers(wallet))
      ])
  }
}

/** Creates a chain at its initial head. `scale` is the number of transfers of the busy token. */
export const chainLedger = ({ accounts, name, scale, seed }: {
  readonly seed: string
  readonly name: ChainName
  readonly accounts: Accounts
  readonly scale: number
}): ChainLedger => {
  const config = chainConfigs[name]
  const lazyCatalog = lazy(() => catalog(seed, name))
  const history = lazy(() => makeHistory({ seed, chain: name, config, accounts, catalog: lazyCatalog() }))
  const makeBusy = () => {
    const layout = makeBlockLayout(seed, config.head, scale)
    const upTo = syntheticTransfers({
      seed,
      token: lazyCatalog().busy.address,
      wallet: accounts.busy,
      counterparties: accounts.participants,
      layout
    })
    return (head: number) => upTo(layout.count(head))
  }
  return makeView({
    name,
    catalog: lazyCatalog,
    history: (head) => history()(head),
    busy: name === busyChain ? makeBusy() : undefined,
    hash: hashes(`${seed}/${name}/block`)
  }, config.head)
}
