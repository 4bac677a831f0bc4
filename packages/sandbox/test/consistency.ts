/** Recomputes the data of a ledger from all transfers, and compares. */
import type { Address } from "@blockquarry/core/Address"
import { expect } from "@effect/vitest"
import type { ChainLedger, Ledger, NftSale, NftTransfer, Sequence, TokenTransfer } from "../src/Ledger.ts"
import { zeroAddress } from "../src/ledger/Identifiers.ts"

export const toArray = <A>(sequence: Sequence<A>): ReadonlyArray<A> =>
  Array.from({ length: sequence.length }, (_, index) => {
    const item = sequence.at(index)
    if (item === undefined) throw new Error(`nothing at ${index} of ${sequence.length}`)
    return item
  })

/** Comparing strings is many times faster than comparing objects. */
export const comparableText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}n` : item))

/** All transfers and sales of a chain. */
export const fullHistory = (chain: ChainLedger, ledger: Ledger) => {
  const transfers = [...chain.tokens.keys()]
    .flatMap((token) => toArray(chain.tokenTransfers(token)))
    .sort((left, right) => left.block - right.block || left.logIndex - right.logIndex)
  const nftTransfers = [...chain.collections.keys()].flatMap((collection) =>
    toArray(chain.nftTransfers(collection))
  )
  const trades = new Map<string, NftSale>()
  for (const wallet of ledger.wallets.keys()) {
    for (const trade of toArray(chain.walletTrades(wallet))) trades.set(trade.transaction, trade)
  }
  return { transfers, nftTransfers, trades: [...trades.values()] }
}

export const expectAscending = (
  items: ReadonlyArray<{ readonly block: number; readonly logIndex: number }>,
  head: number
): void => {
  items.forEach((item, index) => {
    const before = items[index - 1]
    const isAfter = before === undefined || before.block < item.block ||
      (before.block === item.block && before.logIndex < item.logIndex)
    if (!isAfter) expect.fail(`${index} is not after the one before it`)
    if (item.block > head || item.block < 0) expect.fail(`${index} is at block ${item.block} of ${head}`)
  })
}

/** Balances are sums of transfers and never negative; holders and supply are consistent with them. */
export const expectConsistentToken = (chain: ChainLedger, token: Address): void => {
  const balances = new Map<string, bigint>()
  const transfers = toArray(chain.tokenTransfers(token))
  expectAscending(transfers, chain.head)
  for (const transfer of transfers) {
    if (transfer.token !== token || transfer.value < 0n) expect.fail("another token or a negative value")
    balances.set(transfer.from, (balances.get(transfer.from) ?? 0n) - transfer.value)
    balances.set(transfer.to, (balances.get(transfer.to) ?? 0n) + transfer.value)
    if (transfer.from !== zeroAddress && (balances.get(transfer.from) ?? 0n) < 0n) {
      expect.fail("a negative balance")
    }
  }
  const supply = -(balances.get(zeroAddress) ?? 0n)
  balances.delete(zeroAddress)
  const holders = chain.holders(token)
  const positive = [...balances].filter(([, balance]) => balance > 0n)
  expect(new Map(holders.map(({ balance, owner }) => [owner, balance]))).toEqual(new Map(positive))
  expect(supply).toBeLessThan(2n ** 256n)
  const inOrder = holders.toSorted((a, b) =>
    a.balance === b.balance ? (a.owner < b.owner ? -1 : 1) : a.balance > b.balance ? -1 : 1
  )
  expect(comparableText(holders)).toBe(comparableText(inOrder))
}

/** Owners and amounts are consistent with the transfers, and never negative. */
export const expectConsistentCollection = (
  chain: ChainLedger,
  collection: Address,
  trades: ReadonlyArray<NftSale>
): void => {
  const transfers = toArray(chain.nftTransfers(collection))
  expectAscending(transfers, chain.head)
  const isUnique = chain.collections.get(collection)?.type === "ERC721"
  const first = new Map<bigint, NftTransfer>()
  const last = new Map<bigint, NftTransfer>()
  const amounts = new Map<string, bigint>()
  for (const transfer of transfers) {
    const { amount, from, to, tokenId } = transfer
    if (amount <= 0n) expect.fail("nothing transferred")
    if (isUnique && (amount !== 1n || from !== (last.get(tokenId)?.to ?? zeroAddress))) {
      expect.fail("a transfer of more than the NFT, or not by its owner")
    }
    if (!first.has(tokenId)) first.set(tokenId, transfer)
    last.set(tokenId, transfer)
    amounts.set(`${tokenId}/${from}`, (amounts.get(`${tokenId}/${from}`) ?? 0n) - amount)
    amounts.set(`${tokenId}/${to}`, (amounts.get(`${tokenId}/${to}`) ?? 0n) + amount)
    if (from !== zeroAddress && (amounts.get(`${tokenId}/${from}`) ?? 0n) < 0n) {
      expect.fail("a negative amount")
    }
  }
  const owned = [...amounts].filter(([name, amount]) => amount > 0n && !name.endsWith(zeroAddress))
  const states = chain.nfts(collection)
  const ids = states.map(({ tokenId }) => tokenId)
  expect(ids).toEqual([...ids].sort((left, right) => (left < right ? -1 : 1)))
  expect(
    new Map(
      states.flatMap(({ owners, tokenId }) =>
        owners.map(({ amount, owner }) => [`${tokenId}/${owner}`, amount])
      )
    )
  ).toEqual(new Map(owned))
  const sales = trades.filter((trade) => trade.collection === collection).toSorted((left, right) =>
    left.block - right.block || left.transactionIndex - right.transactionIndex
  )
  for (const state of states) {
    const { owners, tokenId } = state
    const lastOwner = { owner: last.get(tokenId)?.to, amount: 1n, block: last.get(tokenId)?.block }
    const lastSale = sales.findLast((trade) => trade.tokenIds.includes(tokenId)) ?? null
    expect(comparableText(state)).toBe(comparableText({
      collection,
      tokenId,
      minter: first.get(tokenId)?.to,
      mintBlock: first.get(tokenId)?.block,
      lastTransferBlock: last.get(tokenId)?.block,
      owners: isUnique ? [lastOwner] : owners,
      lastSale
    }))
  }
}

/** Every log has a unique position. */
export const expectUniquePositions = (items: ReadonlyArray<TokenTransfer | NftTransfer>): void => {
  const logs = new Set(items.map(({ block, logIndex }) => `${block}/${logIndex}`))
  expect(logs.size).toBe(items.length)
}

/** The lists of a wallet are those of the chain, filtered by the wallet; its activity is their first and last item. */
export const expectConsistentWallet = (
  chain: ChainLedger,
  wallet: Address,
  { nftTransfers, trades, transfers }: ReturnType<typeof fullHistory>
): void => {
  const own = transfers.filter(({ from, to }) => from === wallet || to === wallet)
  expect(comparableText(toArray(chain.walletTransfers(wallet)))).toBe(comparableText(own))
  const sales = trades.filter(({ buyer, seller }) => buyer === wallet || seller === wallet)
  expect(chain.walletTrades(wallet).length).toBe(sales.length)
  const all = [...own, ...nftTransfers.filter(({ from, to }) => from === wallet || to === wallet), ...sales]
    .sort((left, right) => left.block - right.block || left.transactionIndex - right.transactionIndex)
  const first = all[0]
  const last = all.at(-1)
  expect(chain.activity(wallet)).toEqual(
    first === undefined || last === undefined ? undefined : {
      first: { block: first.block, transaction: first.transaction },
      last: { block: last.block, transaction: last.transaction }
    }
  )
}
