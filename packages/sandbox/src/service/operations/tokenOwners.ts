/** Handles `tokenOwners`: with shares, in the correct order on eth, in the wrong order elsewhere. */
import type { Address } from "@blockquarry/core/Address"
import { formatUnits } from "@blockquarry/core/Amount"
import { tokenOwners as operation } from "@blockquarry/core/operations/tokenOwners"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainLedger, Ledger, Token } from "../../Ledger.ts"
import { notFound } from "../ApiError.ts"
import { digest } from "../Digest.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { usdPriceAt, usdValue } from "../Prices.ts"
import { listDocument, readPage, sliceByKey } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"

interface Holder {
  readonly owner: Address
  readonly balance: bigint
  /** The percentage of the supply as an integer with `shareDecimals` decimals. */
  readonly share: bigint
  /** The sort key: the balance on eth, a digest elsewhere. */
  readonly rank: bigint
}

const shareDecimals = 18

const hundredPercent = 100n * 10n ** BigInt(shareDecimals)

/** The sandbox reproduces the known issue that the upstream sorts correctly on eth only. */
const rankOf = (chain: ChainLedger, owner: Address, balance: bigint): bigint =>
  chain.name === "eth" ? balance : BigInt(`0x${digest("order of holders", owner).slice(0, 16)}`)

/** Compares holders by descending rank, then by owner. */
const compareHolders = (
  a: { readonly rank: bigint; readonly owner: string },
  b: { readonly rank: bigint; readonly owner: string }
): number => a.rank > b.rank ? -1 : a.rank < b.rank ? 1 : a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0

const cache = new WeakMap<ReturnType<ChainLedger["holders"]>, ReadonlyArray<Holder>>()

/** Returns the holders of a token by descending rank, equal ranks by address. */
const holdersOf = (chain: ChainLedger, token: Address): ReadonlyArray<Holder> => {
  const holders = chain.holders(token)
  const cached = cache.get(holders)
  if (cached !== undefined) return cached
  const supply = holders.reduce((sum, { balance }) => sum + balance, 0n)
  let cumulative = 0n
  let assigned = 0n
  // Rounds cumulative balances and takes differences, so that the percentages sum to exactly 100
  const ranked = holders.map(({ balance, owner }) => {
    cumulative += balance
    const share = cumulative * hundredPercent / supply - assigned
    assigned += share
    return { owner, balance, share, rank: rankOf(chain, owner, balance) }
  }).sort(compareHolders)
  cache.set(holders, ranked)
  return ranked
}

export const tokenOwners = chainHandler(operation, (input, chain, context) => {
  const token = chain.tokens.get(input.token_address)
  if (token === undefined) return Effect.fail(notFound("Token not found"))
  const descending = holdersOf(chain, token.address)
  const isAscending = input.order === "ASC"
  const slice = sliceByKey(
    isAscending ? [...descending].reverse() : descending,
    ({ owner, rank }) => [String(rank), owner],
    (holder, [rank = "0", owner = ""]) => {
      const order = compareHolders(holder, { rank: BigInt(rank), owner })
      return isAscending ? order < 0 : order > 0
    }
  )
  return Either.map(
    readPage(operation, input, context, slice),
    (page) => listDocument(page, (holder) => holderRecord(context.ledger, chain, token, holder))
  )
})

const holderRecord = (ledger: Ledger, chain: ChainLedger, token: Token, holder: Holder): JsonDocument => {
  const wallet = ledger.wallets.get(holder.owner)
  const price = usdPriceAt(chain, token, chain.head)
  return {
    owner_address: holder.owner,
    owner_address_label: wallet?.label ?? null,
    balance: String(holder.balance),
    balance_formatted: formatUnits(holder.balance, token.decimals),
    usd_value: price === null ? null : usdValue(holder.balance, token.decimals, price),
    is_contract: String(wallet?.isContract ?? false),
    percentage_relative_to_total_supply: formatUnits(holder.share, shareDecimals)
  }
}
