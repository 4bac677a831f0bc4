/** NFT trades of a wallet, newest first. */
import { walletNftTrades as operation } from "@blockquarry/core/operations/walletNftTrades"
import * as Either from "effect/Either"
import type { ChainLedger, Trade } from "../../Ledger.ts"
import { written } from "../Envelope.ts"
import type { Document } from "../Message.ts"
import { rangeOf, timestamp } from "../Range.ts"
import { takeByBlock, takePage } from "../Walk.ts"
import { answering, chainOf } from "../World.ts"

export const walletNftTrades = answering(operation, (input, world) => {
  const chain = chainOf(world, input.chain)
  const page = takePage(
    operation,
    input,
    world,
    (turn) => takeByBlock(chain.walletTrades(input.address), rangeOf(chain, input), "DESC", turn)
  )
  return Either.map(page, (page) => ({
    page: page.page,
    page_size: page.size,
    cursor: page.cursor,
    result: written(page, (trade) => tradeRecord(chain, trade)).records
  }))
})

const withoutZone = /\.\d{3}Z$/

const tradeRecord = (chain: ChainLedger, trade: Trade): Document => ({
  transaction_hash: trade.transaction,
  transaction_index: String(trade.transactionIndex),
  token_ids: trade.tokenIds.map(String),
  seller_address: trade.seller,
  buyer_address: trade.buyer,
  token_address: trade.collection,
  marketplace_address: trade.marketplace,
  price_token_address: trade.priceToken,
  price: String(trade.price),
  block_timestamp: timestamp(chain, trade.block)?.replace(withoutZone, "") ?? null,
  block_number: String(trade.block),
  block_hash: chain.block(trade.block)?.hash ?? null
})
