/**
 * The kinds of transactions of ordinary history: each moves something that somebody has.
 */
import type { Address } from "@blockquarry/core/Address"
import type { NftBook, TokenBook } from "./Books.ts"
import { zeroAddress } from "./Identity.ts"
import type { Random } from "./Random.ts"
import type { Cast } from "./Wallets.ts"

/** What an act works with. The three writers add to the books and to history, in the current transaction. */
export interface Stage {
  readonly random: Random
  readonly cast: Cast
  /** Who is active on this chain. */
  readonly people: ReadonlyArray<Address>
  readonly tokens: ReadonlyArray<TokenBook>
  readonly wrapped: TokenBook
  readonly dollar: TokenBook
  readonly spam: TokenBook
  readonly nfts: ReadonlyArray<NftBook>
  readonly pay: (book: TokenBook, from: Address, to: Address, value: bigint) => void
  readonly give: (book: NftBook, id: bigint, from: Address, to: Address, amount: bigint) => void
  readonly trade: (
    book: NftBook,
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

/** One in a transaction of its own. */
export type Act = (stage: Stage) => void

/** Somebody; the main wallet more often than others. */
const anyone = (
  { cast, people, random }: Stage
): Address => (random.chance(12) ? cast.main : random.pick(people))

const someOf = (random: Random, amount: bigint): bigint => {
  const most = amount >> BigInt(1 + random.below(12))
  return most === 0n ? 1n : 1n + random.bigBelow(most)
}

/** Mints what a token starts with, to a few hands. */
export const issue = (book: TokenBook): Act => (stage) => {
  const { supply } = book.issue
  if (supply === 0n) return
  const parts = [supply / 2n, supply / 4n, supply - supply / 2n - supply / 4n]
  const hands = [stage.cast.main, stage.random.pick(stage.people), stage.random.pick(stage.people)]
  parts.forEach((part, index) => stage.pay(book, zeroAddress, hands[index] ?? stage.cast.main, part))
}

/** Sends some of a token on. */
const send: Act = (stage) => {
  const { random } = stage
  const book = random.pick(stage.tokens)
  const from = book.anyHolder(random, random.chance(15) ? stage.cast.main : undefined)
  if (from === undefined) return
  const to = random.chance(2) ? from : anyone(stage)
  stage.pay(book, from, to, random.chance(1) ? 0n : someOf(random, book.balance(from)))
}

/** Sends several tokens in one transaction. */
const sendSeveral: Act = (stage) => {
  const count = 2 + stage.random.below(3)
  for (let i = 0; i < count; i++) send(stage)
}

/** Gives one token to a pool and takes another. */
const swap: Act = (stage) => {
  const { cast, random } = stage
  const pool = random.pick(cast.pools)
  const sold = random.pick(stage.tokens)
  const trader = sold.anyHolder(random)
  if (trader === undefined || trader === pool) return
  stage.pay(sold, trader, pool, someOf(random, sold.balance(trader)))
  const bought = random.pick(stage.tokens)
  const held = bought.balance(pool)
  if (bought !== sold && held > 0n) stage.pay(bought, pool, trader, someOf(random, held))
}

/** Spam for everybody. */
const airdrop: Act = (stage) => {
  const from = stage.spam.anyHolder(stage.random)
  if (from === undefined) return
  const value = 1n + stage.spam.balance(from) / 10_000n
  for (const to of stage.people) {
    if (to !== from && stage.spam.balance(from) >= value && stage.random.chance(60)) {
      stage.pay(stage.spam, from, to, value)
    }
  }
}

const mintMore: Act = (stage) => {
  const book = stage.random.pick(stage.tokens)
  if (!book.issue.mintable || book.issue.supply === 0n) return
  stage.pay(book, zeroAddress, anyone(stage), someOf(stage.random, book.issue.supply >> 6n))
}

const burn: Act = (stage) => {
  const book = stage.random.pick(stage.tokens)
  const from = book.anyHolder(stage.random)
  if (from === undefined || !book.issue.mintable) return
  stage.pay(book, from, zeroAddress, someOf(stage.random, book.balance(from) >> 3n || 1n))
}

/** A deposit of the native token. */
const wrap: Act = (stage) => {
  stage.pay(stage.wrapped, zeroAddress, anyone(stage), 10n ** 16n + stage.random.bigBelow(10n ** 20n))
}

/** Mints `count` new NFTs of a collection to somebody. */
export const mintNfts = (book: NftBook, count: number): Act => (stage) => {
  const { random } = stage
  const to = anyone(stage)
  for (let i = 0; i < count; i++) {
    const amount = book.edition.collection.type === "ERC721"
      ? 1n
      : 1n + random.bigBelow(random.chance(10) ? 2n ** 70n : 40n)
    stage.give(book, book.nextId(random), zeroAddress, to, amount)
  }
}

const mintSome: Act = (stage) => {
  const { random } = stage
  const book = random.pick(stage.nfts)
  const again = book.anyHolding(random)
  if (book.edition.collection.type === "ERC1155" && again !== undefined && random.chance(30)) {
    stage.give(book, again.id, zeroAddress, anyone(stage), 1n + random.bigBelow(100n))
  } else mintNfts(book, 1 + random.below(4))(stage)
}

const giveNft: Act = (stage) => {
  const book = stage.random.pick(stage.nfts)
  const holding = book.anyHolding(stage.random)
  if (holding === undefined) return
  stage.give(book, holding.id, holding.owner, anyone(stage), someOf(stage.random, holding.amount))
}

const burnNft: Act = (stage) => {
  const book = stage.random.pick(stage.nfts)
  const holding = book.anyHolding(stage.random)
  if (holding === undefined || book.isFirst(holding.id)) return
  stage.give(book, holding.id, holding.owner, zeroAddress, stage.random.chance(50) ? holding.amount : 1n)
}

/** Sells up to four NFTs for one price, of which the marketplace keeps a fee. */
const sell: Act = (stage) => {
  const { random } = stage
  const book = random.pick(stage.nfts)
  const holding = book.anyHolding(random)
  const buyer = anyone(stage)
  if (holding === undefined || holding.owner === buyer) return
  const seller = holding.owner
  const sold = random.chance(70) ? [holding] : book.holdingsOf(seller, 2 + random.below(3))
  const price = 10n ** 15n + random.bigBelow(10n ** BigInt(17 + random.below(4)))
  const dollars = price / 10n ** 9n
  const inDollars = random.chance(25) && stage.dollar.balance(buyer) >= dollars
  const paid = inDollars ? stage.dollar : stage.wrapped
  const total = inDollars ? dollars : price
  const marketplace = random.pick(stage.cast.marketplaces)
  const missing = total - paid.balance(buyer)
  if (missing > 0n) stage.pay(paid, zeroAddress, buyer, missing + random.bigBelow(10n ** 17n))
  const fee = total / 40n
  stage.pay(paid, buyer, seller, total - fee)
  stage.pay(paid, buyer, marketplace, fee)
  for (const { amount, id } of sold) stage.give(book, id, seller, buyer, someOf(random, amount))
  stage.trade(book, {
    tokenIds: sold.map(({ id }) => id),
    seller,
    buyer,
    marketplace,
    priceToken: paid.issue.token.address,
    price: total
  })
}

/** How many transfers of the main wallet a crowded block has at least. */
export const crowd = 160

/** A part of a crowded block: payments of the main wallet to everybody. */
export const payEverybody = (count: number): Act => (stage) => {
  const { cast, dollar, people, random } = stage
  const needed = BigInt(count) * 10n ** 7n
  if (dollar.balance(cast.main) < needed) stage.pay(dollar, zeroAddress, cast.main, needed * 2n)
  for (let i = 0; i < count; i++) {
    stage.pay(dollar, cast.main, random.pick(people), 1n + random.bigBelow(10n ** 7n))
  }
}

const weighted: ReadonlyArray<readonly [weight: number, act: Act]> = [
  [36, send],
  [12, sendSeveral],
  [12, swap],
  [2, airdrop],
  [3, mintMore],
  [4, burn],
  [4, wrap],
  [8, mintSome],
  [7, giveNft],
  [2, burnNft],
  [10, sell]
]

const deck: ReadonlyArray<Act> = weighted.flatMap(([weight, act]) =>
  Array.from({ length: weight }, () => act)
)

/** Any of the above. */
export const anything: Act = (stage) => stage.random.pick(deck)(stage)
