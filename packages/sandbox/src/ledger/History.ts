/**
 * A chain's ordinary history: one pass that goes on as far as somebody looks.
 *
 * What happens up to a block never depends on how far the pass went, so a chain that grows keeps its past.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import { firstIndex } from "../internal/search.ts"
import type { NftSale, NftTransfer, TokenTransfer } from "../Ledger.ts"
import type { Accounts } from "./Accounts.ts"
import type { NftBalances, TokenBalances } from "./Balances.ts"
import { makeNftBalances, makeTokenBalances } from "./Balances.ts"
import type { Catalog } from "./Catalog.ts"
import type { ChainConfig } from "./ChainConfigs.ts"
import { hashes } from "./Identifiers.ts"
import { makeRandom, randomAt } from "./Random.ts"
import type { GenerationContext, TransactionGenerator } from "./TransactionGenerators.ts"
import {
  anyTransaction,
  crowdedBlockTransfers,
  mintInitialSupply,
  mintNfts,
  transferToMany
} from "./TransactionGenerators.ts"

/** Everything that happened up to a block, in order. */
export interface ChainHistory {
  readonly transfers: ReadonlyArray<TokenTransfer>
  readonly nftTransfers: ReadonlyArray<NftTransfer>
  readonly trades: ReadonlyArray<NftSale>
}

/** Blocks of the past in which something happens, and over how many blocks they are spread. */
const historySizes = {
  main: { slots: 900, days: 700 },
  side: { slots: 60, days: 200 },
  quiet: { slots: 0, days: 1 }
} as const

/** At most this many acts share a block, so its log indices stay below those of the busy token or far above. */
const maxTransactionsPerBlock = 6

const transactionsPerCrowdedBlock = 8

/** Whether a block of the past or the future, counted by what happens, is crowded. */
const isCrowdedBlock = (slot: number, slots: number): boolean =>
  slot < slots ? slot % 250 === 200 : (slot - slots) % 50 === 8

/** The block of a slot: the nearer to the head, the denser; after the head one block after the other. */
const blockForSlot = (setup: ChainConfig): (slot: number) => number => {
  const { days, slots } = historySizes[setup.size]
  const span = Math.min(setup.head, Math.floor((days * 86_400_000) / setup.blockTime))
  return (slot) =>
    slot < slots
      ? setup.head - Math.floor(span * (1 - (slot + 1) / slots) ** 2) - (slots - 1 - slot)
      : setup.head + 1 + slot - slots
}

/** What happens in the first slots, so that there is something to move. */
const initialTransactions = (
  tokens: ReadonlyArray<TokenBalances>,
  nfts: ReadonlyArray<NftBalances>,
  isMain: boolean
): ReadonlyArray<TransactionGenerator> => [
  ...tokens.map(mintInitialSupply),
  ...nfts.map((balances) => mintNfts(balances, 1)),
  ...nfts.slice(0, 1).flatMap((balances) =>
    Array.from({ length: isMain ? 13 : 1 }, () => mintNfts(balances, 12))
  )
]

const activeWallets = (cast: Accounts, name: string, share: number): ReadonlyArray<Address> => {
  const noise = randomAt(`${name}/people`)
  return cast.participants.filter((wallet, index) =>
    wallet === cast.main || wallet === cast.busy || noise(index) % 100 < share
  )
}

/** The id of the first NFT of a collection with hashed ids: 77 digits. */
export const firstHashedId = (name: string): bigint => {
  const minId = 10n ** 76n
  return minId + makeRandom(`${name}/first`).bigBelow(2n ** 255n - minId)
}

/** The history of a chain, up to any block. */
export const makeHistory = (options: {
  readonly seed: string
  readonly chain: ChainName
  readonly config: ChainConfig
  readonly accounts: Accounts
  readonly catalog: Catalog
}): (head: number) => ChainHistory => {
  const { accounts: cast, catalog, config: setup } = options
  const name = `${options.seed}/${options.chain}`
  const isMain = setup.size === "main"
  const { slots } = historySizes[setup.size]
  const rng = makeRandom(`${name}/history`)
  const hash = hashes(`${name}/transaction`)
  const isAfterSynthetic = randomAt(`${name}/late`)
  const block = blockForSlot(setup)

  const transfers: Array<TokenTransfer> = []
  const nftTransfers: Array<NftTransfer> = []
  const trades: Array<NftSale> = []

  let slot = 0
  let transactionCount = 0
  let current = { block: 0, transaction: hash(0), transactionIndex: 0 }
  let logIndex = 0

  const tokens = catalog.tokenDefinitions.map(makeTokenBalances)
  const balancesOf = (definition: Catalog["wrappedNative"]): TokenBalances =>
    tokens.find(({ definition: issue }) => issue === definition) ?? makeTokenBalances(definition)
  const nfts = catalog.collectionDefinitions.map((edition) =>
    makeNftBalances(edition, firstHashedId(edition.collection.address))
  )
  const context: GenerationContext = {
    random: rng,
    accounts: cast,
    activeWallets: activeWallets(cast, name, isMain ? 85 : 25),
    tokens,
    wrappedNative: balancesOf(catalog.wrappedNative),
    stablecoin: balancesOf(catalog.stablecoin),
    spam: balancesOf(catalog.spam),
    nfts,
    transferTokens: (balances, from, to, value) => {
      balances.transfer(from, to, value)
      transfers.push({
        token: balances.definition.token.address,
        ...current,
        logIndex: logIndex++,
        from,
        to,
        value
      })
    },
    transferNft: (balances, tokenId, from, to, amount) => {
      balances.transfer(tokenId, from, to, amount)
      nftTransfers.push({
        collection: balances.definition.collection.address,
        tokenId,
        amount,
        ...current,
        logIndex: logIndex++,
        from,
        to
      })
    },
    recordSale: (balances, sale) => {
      trades.push({ collection: balances.definition.collection.address, ...current, ...sale })
    }
  }
  const initial = initialTransactions(tokens, nfts, isMain)

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
    while (transactions.length < maxTransactionsPerBlock && rng.chance(30)) transactions.push(anyTransaction)
    return transactions
  }

  const generateSlot = (): void => {
    // On some blocks all of this comes before the busy token's transfers, on others after them
    const shift = isAfterSynthetic(slot) % 2
    logIndex = shift * 1000 + rng.below(20)
    let transactionIndex = shift * 400 + rng.below(20)
    for (const generate of transactionsOf(slot)) {
      current = { block: block(slot), transaction: hash(transactionCount++), transactionIndex }
      generate(context)
      transactionIndex += 1 + rng.below(4)
      logIndex += rng.below(4)
    }
    slot++
  }

  const upTo = <A extends { readonly block: number }>(
    items: ReadonlyArray<A>,
    head: number
  ): ReadonlyArray<A> =>
    items.slice(0, firstIndex(items.length, (index) => (items[index]?.block ?? 0) > head))

  return (head) => {
    while (block(slot) <= head) generateSlot()
    return {
      transfers: upTo(transfers, head),
      nftTransfers: upTo(nftTransfers, head),
      trades: upTo(trades, head)
    }
  }
}
