/**
 * The history of a chain without the busy token, generated in one pass as far as it is read.
 *
 * The history up to a block does not depend on how far the pass went, so it is stable when blocks are added.
 */
import type { ChainName } from "@blockquarry/core/Chain"
import type { Accounts } from "./Accounts.ts"
import { makeNftBalances, makeTokenBalances } from "./Balances.ts"
import type { Catalog } from "./Catalog.ts"
import type { ChainConfig } from "./ChainConfigs.ts"
import { hashes } from "./Identifiers.ts"
import type { NftSale, NftTransfer, TokenTransfer, TransactionPosition } from "./Model.ts"
import { makeRandom, randomAt } from "./Random.ts"
import { firstIndex } from "./Sequences.ts"
import type { GenerationContext, TransactionGenerator } from "./TransactionGenerators.ts"
import {
  anyTransaction,
  crowdedBlockTransfers,
  mintInitialSupply,
  mintNfts,
  transferToMany
} from "./TransactionGenerators.ts"

/** The number of past blocks with transactions, and the number of days over which they are spread. */
const historySizes = {
  main: { slots: 900, days: 700 },
  side: { slots: 60, days: 200 },
  quiet: { slots: 0, days: 1 }
} as const

/** Limits log indexes, so that they stay below those of the busy token or far above. */
const maxTransactionsPerBlock = 6

const transactionsPerCrowdedBlock = 8

/** Returns whether the block of a slot has many transfers. Slots are blocks with transactions. */
const isCrowdedBlock = (slot: number, slots: number): boolean =>
  slot < slots ? slot % 250 === 200 : (slot - slots) % 50 === 8

/** Returns the block of a slot. Past blocks get denser towards the head; after the head every block is a slot. */
const blockForSlot = (config: ChainConfig): (slot: number) => number => {
  const { days, slots } = historySizes[config.size]
  const span = Math.min(config.head, Math.floor((days * 86_400_000) / config.blockTime))
  return (slot) =>
    slot < slots
      ? config.head - Math.floor(span * (1 - (slot + 1) / slots) ** 2) - (slots - 1 - slot)
      : config.head + 1 + slot - slots
}

/** Creates the history of a chain. */
export const makeHistory = (options: {
  readonly seed: string
  readonly chain: ChainName
  readonly config: ChainConfig
  readonly accounts: Accounts
  readonly catalog: Catalog
}) => {
  const { accounts, catalog, config } = options
  const name = `${options.seed}/${options.chain}`
  const isMain = config.size === "main"
  const { slots } = historySizes[config.size]
  const random = makeRandom(`${name}/history`)
  const hash = hashes(`${name}/transaction`)
  const isAfterSynthetic = randomAt(`${name}/late`)
  const block = blockForSlot(config)

  const transfers: Array<TokenTransfer> = []
  const nftTransfers: Array<NftTransfer> = []
  const trades: Array<NftSale> = []

  let slot = 0
  let transactionCount = 0
  let current: TransactionPosition = { block: 0, transaction: hash(0), transactionIndex: 0 }
  let logIndex = 0

  const tokenBalances = makeTokenBalances((transfer) =>
    transfers.push({ ...current, logIndex: logIndex++, ...transfer })
  )
  const nftBalances = makeNftBalances((transfer) =>
    nftTransfers.push({ ...current, logIndex: logIndex++, ...transfer })
  )
  const wrappedNative = tokenBalances(catalog.wrappedNative)
  const stablecoin = tokenBalances(catalog.stablecoin)
  const unpriced = tokenBalances(catalog.unpriced)
  const spam = tokenBalances(catalog.spam)
  const tokens = [wrappedNative, stablecoin, unpriced, spam, ...catalog.otherTokens.map(tokenBalances)]
  const portraits = nftBalances(catalog.portraits)
  const nfts = [portraits, ...catalog.otherCollections.map(nftBalances)]
  const activity = randomAt(`${name}/people`)
  const context: GenerationContext = {
    random,
    accounts,
    activeWallets: accounts.participants.filter((wallet, index) =>
      wallet === accounts.main || wallet === accounts.busy || activity(index) % 100 < (isMain ? 85 : 25)
    ),
    tokens,
    wrappedNative,
    stablecoin,
    spam,
    nfts,
    recordSale: (sale) => trades.push({ ...current, ...sale })
  }
  /** The transactions of the first slots, which mint the tokens and NFTs. */
  const initial = [
    ...tokens.map(mintInitialSupply),
    ...nfts.map((balances) => mintNfts(balances, 1)),
    ...Array.from({ length: isMain ? 13 : 1 }, () => mintNfts(portraits, 12))
  ]

  const transactionsOf = (slot: number): ReadonlyArray<TransactionGenerator> => {
    const first = initial[slot]
    if (first !== undefined) return [first]
    if (isMain && isCrowdedBlock(slot, slots)) {
      return Array.from(
        { length: transactionsPerCrowdedBlock },
        () => transferToMany(crowdedBlockTransfers / transactionsPerCrowdedBlock)
      )
    }
    const transactions = [anyTransaction]
    while (transactions.length < maxTransactionsPerBlock && random.chance(30)) {
      transactions.push(anyTransaction)
    }
    return transactions
  }

  const generateSlot = (): void => {
    // In half of the blocks these transactions precede those of the busy token
    const shift = isAfterSynthetic(slot) % 2
    logIndex = shift * 1000 + random.below(20)
    let transactionIndex = shift * 400 + random.below(20)
    for (const generate of transactionsOf(slot)) {
      current = { block: block(slot), transaction: hash(transactionCount++), transactionIndex }
      generate(context)
      transactionIndex += 1 + random.below(4)
      logIndex += random.below(4)
    }
    slot++
  }

  const upTo = <A extends { readonly block: number }>(
    items: ReadonlyArray<A>,
    head: number
  ): ReadonlyArray<A> =>
    items.slice(0, firstIndex(items.length, (index) => (items[index]?.block ?? 0) > head))

  /** Returns all transfers and sales up to a block, in order. */
  return (head: number) => {
    while (block(slot) <= head) generateSlot()
    return {
      transfers: upTo(transfers, head),
      nftTransfers: upTo(nftTransfers, head),
      trades: upTo(trades, head)
    }
  }
}
