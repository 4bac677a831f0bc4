/** Handles `tokenOwners`. */
import { formatUnits } from "@blockquarry/core/Amount"
import { tokenOwners as operation } from "@blockquarry/core/operations/tokenOwners"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainLedger, Ledger, Token } from "../../Ledger.ts"
import { notFound } from "../ApiError.ts"
import { compareHolders, type Holder, holdersOf, shareDecimals } from "../Holders.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { usdPriceAt, usdValue } from "../Prices.ts"
import { listDocument, readPage, sliceByKey } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"

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
