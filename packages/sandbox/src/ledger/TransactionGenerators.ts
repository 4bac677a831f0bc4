/** Generators of transactions. Each transfers only what the sender owns. */
import type { Address } from "@blockquarry/core/Address"
import type { Accounts } from "./Accounts.ts"
import type { NftBalances, TokenBalances } from "./Balances.ts"
import { zeroAddress } from "./Identifiers.ts"
import type { Random } from "./Random.ts"

/** The state of the generation. The last three functions add to balances and history, in the current transaction. */
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
  readonly transferTokens: (balances: TokenBalances, from: Address, to: Address, value: bigint) => void
  readonly transferNft: (
    balances: NftBalances,
    id: bigint,
    from: Address,
    to: Address,
    amount: bigint
  ) => void
  readonly recordSale: (
    balances: NftBalances,
    sale: {
      readonly tokenIds: ReadonlyArray<bigint>
      readonly seller: Address
      readonly buyer: Address
      readonly marketplace: Address
      readonly priceToken: Address
      readonly price: bigint
    }
  ) => void
}

/** Generates one transaction. */
export type TransactionGenerator = (context: GenerationContext) => void

/** Picks a wallet, the main wallet more often than others. */
const anyWallet = (
  { accounts, activeWallets, random }: GenerationContext
): Address => (random.chance(12) ? accounts.main : random.pick(activeWallets))

const partOf = (random: Random, amount: bigint): bigint => {
  const max = amount >> BigInt(1 + random.below(12))
  return max === 0n ? 1n : 1n + random.bigBelow(max)
}

/** Mints the initial supply of a token to three wallets. */
export const mintInitialSupply = (balances: TokenBalances): TransactionGenerator => (context) => {
  const { supply } = balances.definition
  if (supply === 0n) return
  const parts = [supply / 2n, supply / 4n, supply - supply / 2n - supply / 4n]
  const recipients = [
    context.accounts.main,
    context.random.pick(context.activeWallets),
    context.random.pick(context.activeWallets)
  ]
  parts.forEach((part, index) =>
    context.transferTokens(balances, zeroAddress, recipients[index] ?? context.accounts.main, part)
  )
}

const transferToken: TransactionGenerator = (context) => {
  const { random } = context
  const balances = random.pick(context.tokens)
  const from = balances.anyHolder(random, random.chance(15) ? context.accounts.main : undefined)
  if (from === undefined) return
  const to = random.chance(2) ? from : anyWallet(context)
  context.transferTokens(balances, from, to, random.chance(1) ? 0n : partOf(random, balances.balance(from)))
}

const transferSeveralTokens: TransactionGenerator = (context) => {
  const count = 2 + context.random.below(3)
  for (let i = 0; i < count; i++) transferToken(context)
}

/** Sends one token to a pool and receives another. */
const swapTokens: TransactionGenerator = (context) => {
  const { accounts, random } = context
  const pool = random.pick(accounts.pools)
  const soldToken = random.pick(context.tokens)
  const trader = soldToken.anyHolder(random)
  if (trader === undefined || trader === pool) return
  context.transferTokens(soldToken, trader, pool, partOf(random, soldToken.balance(trader)))
  const boughtToken = random.pick(context.tokens)
  const held = boughtToken.balance(pool)
  if (boughtToken !== soldToken && held > 0n) {
    context.transferTokens(boughtToken, pool, trader, partOf(random, held))
  }
}

/** Sends spam tokens to many wallets. */
const airdropSpam: TransactionGenerator = (context) => {
  const from = context.spam.anyHolder(context.random)
  if (from === undefined) return
  const value = 1n + context.spam.balance(from) / 10_000n
  for (const to of context.activeWallets) {
    if (to !== from && context.spam.balance(from) >= value && context.random.chance(60)) {
      context.transferTokens(context.spam, from, to, value)
    }
  }
}

const mintTokens: TransactionGenerator = (context) => {
  const balances = context.random.pick(context.tokens)
  if (!balances.definition.mintable || balances.definition.supply === 0n) return
  context.transferTokens(
    balances,
    zeroAddress,
    anyWallet(context),
    partOf(context.random, balances.definition.supply >> 6n)
  )
}

const burnTokens: TransactionGenerator = (context) => {
  const balances = context.random.pick(context.tokens)
  const from = balances.anyHolder(context.random)
  if (from === undefined || !balances.definition.mintable) return
  context.transferTokens(
    balances,
    from,
    zeroAddress,
    partOf(context.random, balances.balance(from) >> 3n || 1n)
  )
}

/** Mints wrapped tokens for a deposit of the native token. */
const wrapNative: TransactionGenerator = (context) => {
  context.transferTokens(
    context.wrappedNative,
    zeroAddress,
    anyWallet(context),
    10n ** 16n + context.random.bigBelow(10n ** 20n)
  )
}

/** Mints `count` new NFTs of a collection to one wallet. */
export const mintNfts = (balances: NftBalances, count: number): TransactionGenerator => (context) => {
  const { random } = context
  const to = anyWallet(context)
  for (let i = 0; i < count; i++) {
    const amount = balances.definition.collection.type === "ERC721"
      ? 1n
      : 1n + random.bigBelow(random.chance(10) ? 2n ** 70n : 40n)
    context.transferNft(balances, balances.nextId(random), zeroAddress, to, amount)
  }
}

const mintSomeNfts: TransactionGenerator = (context) => {
  const { random } = context
  const balances = random.pick(context.nfts)
  const existing = balances.anyHolding(random)
  if (balances.definition.collection.type === "ERC1155" && existing !== undefined && random.chance(30)) {
    context.transferNft(balances, existing.id, zeroAddress, anyWallet(context), 1n + random.bigBelow(100n))
  } else mintNfts(balances, 1 + random.below(4))(context)
}

const transferOneNft: TransactionGenerator = (context) => {
  const balances = context.random.pick(context.nfts)
  const holding = balances.anyHolding(context.random)
  if (holding === undefined) return
  context.transferNft(
    balances,
    holding.id,
    holding.owner,
    anyWallet(context),
    partOf(context.random, holding.amount)
  )
}

const burnNft: TransactionGenerator = (context) => {
  const balances = context.random.pick(context.nfts)
  const holding = balances.anyHolding(context.random)
  if (holding === undefined || balances.isFirst(holding.id)) return
  context.transferNft(
    balances,
    holding.id,
    holding.owner,
    zeroAddress,
    context.random.chance(50) ? holding.amount : 1n
  )
}

/** Sells up to four NFTs for one price, with a fee for the marketplace. */
const sellNfts: TransactionGenerator = (context) => {
  const { random } = context
  const balances = random.pick(context.nfts)
  const holding = balances.anyHolding(random)
  const buyer = anyWallet(context)
  if (holding === undefined || holding.owner === buyer) return
  const seller = holding.owner
  const soldItems = random.chance(70) ? [holding] : balances.holdingsOf(seller, 2 + random.below(3))
  const price = 10n ** 15n + random.bigBelow(10n ** BigInt(17 + random.below(4)))
  const dollars = price / 10n ** 9n
  const inDollars = random.chance(25) && context.stablecoin.balance(buyer) >= dollars
  const payment = inDollars ? context.stablecoin : context.wrappedNative
  const total = inDollars ? dollars : price
  const marketplace = random.pick(context.accounts.marketplaces)
  const shortfall = total - payment.balance(buyer)
  if (shortfall > 0n) {
    context.transferTokens(payment, zeroAddress, buyer, shortfall + random.bigBelow(10n ** 17n))
  }
  const fee = total / 40n
  context.transferTokens(payment, buyer, seller, total - fee)
  context.transferTokens(payment, buyer, marketplace, fee)
  for (const { amount, id } of soldItems) {
    context.transferNft(balances, id, seller, buyer, partOf(random, amount))
  }
  context.recordSale(balances, {
    tokenIds: soldItems.map(({ id }) => id),
    seller,
    buyer,
    marketplace,
    priceToken: payment.definition.token.address,
    price: total
  })
}

/** The minimum number of transfers of the main wallet in a crowded block. */
export const crowdedBlockTransfers = 160

/** A transaction of a crowded block: transfers of the main wallet to many wallets. */
export const transferToMany = (count: number): TransactionGenerator => (context) => {
  const { accounts, stablecoin, activeWallets, random } = context
  const required = BigInt(count) * 10n ** 7n
  if (stablecoin.balance(accounts.main) < required) {
    context.transferTokens(stablecoin, zeroAddress, accounts.main, required * 2n)
  }
  for (let i = 0; i < count; i++) {
    context.transferTokens(
      stablecoin,
      accounts.main,
      random.pick(activeWallets),
      1n + random.bigBelow(10n ** 7n)
    )
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
