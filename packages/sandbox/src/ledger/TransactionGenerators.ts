/** Generators of transactions. Each transfers only what the sender owns. */
import type { Address } from "@blockquarry/core/Address"
import type { Accounts } from "./Accounts.ts"
import type { NftBalances, TokenBalances } from "./Balances.ts"
import { zeroAddress } from "./Identifiers.ts"
import type { NftSale, TransactionPosition } from "./Model.ts"
import type { Random } from "./Random.ts"

/** The state of the generation. Transfers and sales are recorded in the current transaction. */
export interface GenerationContext {
  readonly random: Random
  readonly accounts: Accounts
  /** The wallets that are active on this chain. */
  readonly activeWallets: ReadonlyArray<Address>
  readonly tokens: ReadonlyArray<TokenBalances>
  readonly wrappedNative: TokenBalances
  readonly stablecoin: TokenBalances
  readonly spam: TokenBalances
  readonly nfts: ReadonlyArray<NftBalances>
  readonly recordSale: (sale: Omit<NftSale, keyof TransactionPosition>) => void
}

/** Generates one transaction. */
export type TransactionGenerator = (context: GenerationContext) => void

/** Picks a wallet, the main wallet more often than others. */
const anyWallet = ({ accounts, activeWallets, random }: GenerationContext): Address =>
  random.chance(12) ? accounts.main : random.pick(activeWallets)

const partOf = (random: Random, amount: bigint): bigint => {
  const max = amount >> BigInt(1 + random.below(12))
  return max === 0n ? 1n : 1n + random.bigBelow(max)
}

/** Mints the initial supply of a token to three wallets. */
export const mintInitialSupply =
  ({ definition: { supply }, transfer }: TokenBalances): TransactionGenerator =>
  ({ accounts, activeWallets, random }) => {
    if (supply === 0n) return
    const [second, third] = [random.pick(activeWallets), random.pick(activeWallets)]
    transfer(zeroAddress, accounts.main, supply / 2n)
    transfer(zeroAddress, second, supply / 4n)
    transfer(zeroAddress, third, supply - supply / 2n - supply / 4n)
  }

const transferToken: TransactionGenerator = (context) => {
  const { accounts, random, tokens } = context
  const token = random.pick(tokens)
  const from = token.anyHolder(random, random.chance(15) ? accounts.main : undefined)
  if (from === undefined) return
  const to = random.chance(2) ? from : anyWallet(context)
  token.transfer(from, to, random.chance(1) ? 0n : partOf(random, token.balance(from)))
}

const transferSeveralTokens: TransactionGenerator = (context) => {
  const count = 2 + context.random.below(3)
  for (let i = 0; i < count; i++) transferToken(context)
}

/** Sends one token to a pool and receives another. */
const swapTokens: TransactionGenerator = ({ accounts, random, tokens }) => {
  const pool = random.pick(accounts.pools)
  const sold = random.pick(tokens)
  const trader = sold.anyHolder(random)
  if (trader === undefined || trader === pool) return
  sold.transfer(trader, pool, partOf(random, sold.balance(trader)))
  const bought = random.pick(tokens)
  const held = bought.balance(pool)
  if (bought !== sold && held > 0n) bought.transfer(pool, trader, partOf(random, held))
}

/** Sends spam tokens to many wallets. */
const airdropSpam: TransactionGenerator = ({ activeWallets, random, spam }) => {
  const from = spam.anyHolder(random)
  if (from === undefined) return
  const value = 1n + spam.balance(from) / 10_000n
  for (const to of activeWallets) {
    if (to !== from && spam.balance(from) >= value && random.chance(60)) spam.transfer(from, to, value)
  }
}

const mintTokens: TransactionGenerator = (context) => {
  const { definition: { mintable, supply }, transfer } = context.random.pick(context.tokens)
  if (!mintable || supply === 0n) return
  transfer(zeroAddress, anyWallet(context), partOf(context.random, supply >> 6n))
}

const burnTokens: TransactionGenerator = ({ random, tokens }) => {
  const token = random.pick(tokens)
  const from = token.anyHolder(random)
  if (from === undefined || !token.definition.mintable) return
  token.transfer(from, zeroAddress, partOf(random, token.balance(from) >> 3n || 1n))
}

/** Mints wrapped tokens for a deposit of the native token. */
const wrapNative: TransactionGenerator = (context) =>
  context.wrappedNative.transfer(
    zeroAddress,
    anyWallet(context),
    10n ** 16n + context.random.bigBelow(10n ** 20n)
  )

/** Mints `count` new NFTs of a collection to one wallet. */
export const mintNfts = (nfts: NftBalances, count: number): TransactionGenerator => (context) => {
  const { random } = context
  const to = anyWallet(context)
  for (let i = 0; i < count; i++) {
    const amount = nfts.collection.type === "ERC721"
      ? 1n
      : 1n + random.bigBelow(random.chance(10) ? 2n ** 70n : 40n)
    nfts.mint(random, to, amount)
  }
}

const mintSomeNfts: TransactionGenerator = (context) => {
  const { random } = context
  const nfts = random.pick(context.nfts)
  const existing = nfts.anyHolding(random)
  if (nfts.collection.type === "ERC1155" && existing !== undefined && random.chance(30)) {
    nfts.transfer(existing.id, zeroAddress, anyWallet(context), 1n + random.bigBelow(100n))
  } else mintNfts(nfts, 1 + random.below(4))(context)
}

const transferOneNft: TransactionGenerator = (context) => {
  const nfts = context.random.pick(context.nfts)
  const holding = nfts.anyHolding(context.random)
  if (holding === undefined) return
  const { amount, id, owner } = holding
  nfts.transfer(id, owner, anyWallet(context), partOf(context.random, amount))
}

const burnNft: TransactionGenerator = ({ nfts: all, random }) => {
  const nfts = random.pick(all)
  const holding = nfts.anyHolding(random)
  if (holding === undefined || holding.id === nfts.firstId) return
  nfts.transfer(holding.id, holding.owner, zeroAddress, random.chance(50) ? holding.amount : 1n)
}

/** Sells up to four NFTs for one price, with a fee for the marketplace. */
const sellNfts: TransactionGenerator = (context) => {
  const { accounts, random, recordSale, stablecoin, wrappedNative } = context
  const nfts = random.pick(context.nfts)
  const holding = nfts.anyHolding(random)
  const buyer = anyWallet(context)
  if (holding === undefined || holding.owner === buyer) return
  const seller = holding.owner
  const soldItems = random.chance(70) ? [holding] : nfts.holdingsOf(seller, 2 + random.below(3))
  const inNative = 10n ** 15n + random.bigBelow(10n ** BigInt(17 + random.below(4)))
  const dollars = inNative / 10n ** 9n
  const [payment, price] = random.chance(25) && stablecoin.balance(buyer) >= dollars
    ? [stablecoin, dollars]
    : [wrappedNative, inNative]
  const marketplace = random.pick(accounts.marketplaces)
  const shortfall = price - payment.balance(buyer)
  if (shortfall > 0n) payment.transfer(zeroAddress, buyer, shortfall + random.bigBelow(10n ** 17n))
  const fee = price / 40n
  payment.transfer(buyer, seller, price - fee)
  payment.transfer(buyer, marketplace, fee)
  for (const { amount, id } of soldItems) nfts.transfer(id, seller, buyer, partOf(random, amount))
  recordSale({
    collection: nfts.collection.address,
    tokenIds: soldItems.map(({ id }) => id),
    seller,
    buyer,
    marketplace,
    priceToken: payment.definition.token.address,
    price
  })
}

/** The minimum number of transfers of the main wallet in a crowded block. */
export const crowdedBlockTransfers = 160

/** A transaction of a crowded block: transfers of the main wallet to many wallets. */
export const transferToMany =
  (count: number): TransactionGenerator => ({ accounts, activeWallets, random, stablecoin }) => {
    const required = BigInt(count) * 10n ** 7n
    if (stablecoin.balance(accounts.main) < required) {
      stablecoin.transfer(zeroAddress, accounts.main, required * 2n)
    }
    for (let i = 0; i < count; i++) {
      stablecoin.transfer(accounts.main, random.pick(activeWallets), 1n + random.bigBelow(10n ** 7n))
    }
  }

const weightedGenerators: ReadonlyArray<readonly [weight: number, generator: TransactionGenerator]> = [
  [36, transferToken],
  [12, transferSeveralTokens],
  [12, swapTokens],
  [2, airdropSpam],
  [3, mintTokens],
  [4, burnTokens],
  [4, wrapNative],
  [8, mintSomeNfts],
  [7, transferOneNft],
  [2, burnNft],
  [10, sellNfts]
]

const generatorPool: ReadonlyArray<TransactionGenerator> = weightedGenerators.flatMap(([weight, generator]) =>
  Array.from({ length: weight }, () => generator)
)

/** Picks one of the weighted generators. */
export const anyTransaction: TransactionGenerator = (context) => context.random.pick(generatorPool)(context)
