/**
 * A chain's ordinary history: one pass that goes on as far as somebody looks.
 *
 * What happens up to a block never depends on how far the pass went, so a chain that grows keeps its past.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import { firstIndex } from "../internal/search.ts"
import type { NftTransfer, TokenTransfer, Trade } from "../Ledger.ts"
import type { Act, Stage } from "./Acts.ts"
import { anything, crowd, issue, mintNfts, payEverybody } from "./Acts.ts"
import type { NftBook, TokenBook } from "./Books.ts"
import { nftBook, tokenBook } from "./Books.ts"
import type { Catalog } from "./Catalog.ts"
import type { ChainSetup } from "./Chains.ts"
import { hashes } from "./Identity.ts"
import { at, random } from "./Random.ts"
import type { Cast } from "./Wallets.ts"

/** Everything that happened up to a block, in order. */
export interface History {
  readonly transfers: ReadonlyArray<TokenTransfer>
  readonly nftTransfers: ReadonlyArray<NftTransfer>
  readonly trades: ReadonlyArray<Trade>
}

/** Blocks of the past in which something happens, and over how many blocks they are spread. */
const sizes = {
  main: { slots: 900, days: 700 },
  side: { slots: 60, days: 200 },
  quiet: { slots: 0, days: 1 }
} as const

/** At most this many acts share a block, so its log indices stay below those of the busy token or far above. */
const mostActs = 6

const actsOfCrowd = 8

/** Whether a block of the past or the future, counted by what happens, is crowded. */
const isCrowded = (slot: number, slots: number): boolean =>
  slot < slots ? slot % 250 === 200 : (slot - slots) % 50 === 8

/** The block of a slot: the nearer to the head, the denser; after the head one block after the other. */
const blockOf = (setup: ChainSetup): (slot: number) => number => {
  const { days, slots } = sizes[setup.size]
  const span = Math.min(setup.head, Math.floor((days * 86_400_000) / setup.blockTime))
  return (slot) =>
    slot < slots
      ? setup.head - Math.floor(span * (1 - (slot + 1) / slots) ** 2) - (slots - 1 - slot)
      : setup.head + 1 + slot - slots
}

/** What happens in the first slots, so that there is something to move. */
const opening = (
  tokens: ReadonlyArray<TokenBook>,
  nfts: ReadonlyArray<NftBook>,
  isMain: boolean
): ReadonlyArray<Act> => [
  ...tokens.map(issue),
  ...nfts.map((book) => mintNfts(book, 1)),
  ...nfts.slice(0, 1).flatMap((book) => Array.from({ length: isMain ? 13 : 1 }, () => mintNfts(book, 12)))
]

const activePeople = (cast: Cast, name: string, share: number): ReadonlyArray<Address> => {
  const noise = at(`${name}/people`)
  return cast.people.filter((wallet, index) =>
    wallet === cast.main || wallet === cast.busy || noise(index) % 100 < share
  )
}

/** The id of the first NFT of a collection with hashed ids: 77 digits. */
export const firstHashedId = (name: string): bigint => {
  const least = 10n ** 76n
  return least + random(`${name}/first`).bigBelow(2n ** 255n - least)
}

/** The history of a chain, up to any block. */
export const history = (options: {
  readonly seed: string
  readonly chain: ChainName
  readonly setup: ChainSetup
  readonly cast: Cast
  readonly catalog: Catalog
}): (head: number) => History => {
  const { cast, catalog, setup } = options
  const name = `${options.seed}/${options.chain}`
  const isMain = setup.size === "main"
  const { slots } = sizes[setup.size]
  const numbers = random(`${name}/history`)
  const hash = hashes(`${name}/transaction`)
  const isLate = at(`${name}/late`)
  const block = blockOf(setup)

  const transfers: Array<TokenTransfer> = []
  const nftTransfers: Array<NftTransfer> = []
  const trades: Array<Trade> = []

  let slot = 0
  let transactions = 0
  let current = { block: 0, transaction: hash(0), transactionIndex: 0 }
  let logIndex = 0

  const tokens = catalog.issues.map(tokenBook)
  const bookOf = (wanted: Catalog["wrapped"]): TokenBook =>
    tokens.find(({ issue }) => issue === wanted) ?? tokenBook(wanted)
  const nfts = catalog.editions.map((edition) => nftBook(edition, firstHashedId(edition.collection.address)))
  const stage: Stage = {
    random: numbers,
    cast,
    people: activePeople(cast, name, isMain ? 85 : 25),
    tokens,
    wrapped: bookOf(catalog.wrapped),
    dollar: bookOf(catalog.dollar),
    spam: bookOf(catalog.spam),
    nfts,
    pay: (book, from, to, value) => {
      book.move(from, to, value)
      transfers.push({ token: book.issue.token.address, ...current, logIndex: logIndex++, from, to, value })
    },
    give: (book, tokenId, from, to, amount) => {
      book.move(tokenId, from, to, amount)
      nftTransfers.push({
        collection: book.edition.collection.address,
        tokenId,
        amount,
        ...current,
        logIndex: logIndex++,
        from,
        to
      })
    },
    trade: (book, sale) => {
      trades.push({ collection: book.edition.collection.address, ...current, ...sale })
    }
  }
  const start = opening(tokens, nfts, isMain)

  const actsOf = (slot: number): ReadonlyArray<Act> => {
    const first = start[slot]
    if (first !== undefined) return [first]
    if (isMain && isCrowded(slot, slots)) {
      return Array.from({ length: actsOfCrowd }, () => payEverybody(crowd / actsOfCrowd))
    }
    const acts = [anything]
    while (acts.length < mostActs && numbers.chance(30)) acts.push(anything)
    return acts
  }

  const play = (): void => {
    // On some blocks all of this comes before the busy token's transfers, on others after them
    const shift = isLate(slot) % 2
    logIndex = shift * 1000 + numbers.below(20)
    let transactionIndex = shift * 400 + numbers.below(20)
    for (const act of actsOf(slot)) {
      current = { block: block(slot), transaction: hash(transactions++), transactionIndex }
      act(stage)
      transactionIndex += 1 + numbers.below(4)
      logIndex += numbers.below(4)
    }
    slot++
  }

  const upTo = <A extends { readonly block: number }>(
    items: ReadonlyArray<A>,
    head: number
  ): ReadonlyArray<A> =>
    items.slice(0, firstIndex(items.length, (index) => (items[index]?.block ?? 0) > head))

  return (head) => {
    while (block(slot) <= head) play()
    return {
      transfers: upTo(transfers, head),
      nftTransfers: upTo(nftTransfers, head),
      trades: upTo(trades, head)
    }
  }
}
