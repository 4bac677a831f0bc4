/** Holders of an ERC20 token. */
import { formatUnits } from "@blockquarry/core/Amount"
import { tokenOwners as operation } from "@blockquarry/core/operations/tokenOwners"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainLedger, Ledger, Token } from "../../Ledger.ts"
import { envelope, written } from "../Envelope.ts"
import { compare, type Holder, shareDecimals } from "../Holders.ts"
import type { Document } from "../Message.ts"
import { worth } from "../Money.ts"
import { usdAt } from "../Price.ts"
import { notFound } from "../Refusal.ts"
import { takeByKey, takePage } from "../Walk.ts"
import { answering, chainOf } from "../World.ts"

export const tokenOwners = answering(operation, (input, world) => {
  const chain = chainOf(world, input.chain)
  const token = chain.tokens.get(input.token_address)
  if (token === undefined) return Effect.fail(notFound("No token was found at this address"))
  const descending = world.holders.of(chain, token.address)
  const ascends = input.order === "ASC"
  const page = takePage(operation, input, world, (turn) =>
    takeByKey(
      ascends ? [...descending].reverse() : descending,
      turn,
      ({ owner, rank }) => [String(rank), owner],
      (holder, [rank = "0", owner = ""]) => {
        const order = compare(holder, { rank: BigInt(rank), owner })
        return ascends ? order < 0 : order > 0
      }
    ))
  return Either.map(
    page,
    (page) => envelope(written(page, (holder) => holderRecord(world.ledger, chain, token, holder)))
  )
})

const holderRecord = (ledger: Ledger, chain: ChainLedger, token: Token, holder: Holder): Document => {
  const wallet = ledger.wallets.get(holder.owner)
  const price = usdAt(chain, token, chain.head)
  return {
    owner_address: holder.owner,
    owner_address_label: wallet?.label ?? null,
    balance: String(holder.balance),
    balance_formatted: formatUnits(holder.balance, token.decimals),
    usd_value: price === null ? null : worth(holder.balance, token.decimals, price),
    is_contract: String(wallet?.isContract ?? false),
    percentage_relative_to_total_supply: formatUnits(holder.share, shareDecimals)
  }
}
