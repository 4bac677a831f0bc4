/** Handles `walletNftTrades`, newest first. */
import { nftTradeChains } from "@blockquarry/core/Chain"
import { walletNftTrades as operation } from "@blockquarry/core/operations/walletNftTrades"
import * as Either from "effect/Either"
import type { ChainLedger, NftSale } from "../../Ledger.ts"
import { blockRange, blockTimestamp } from "../BlockRange.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { readPage, sliceByBlock } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"

export const walletNftTrades = chainHandler(operation, (input, chain, context) => {
  const slice = sliceByBlock(chain.walletTrades(input.address), blockRange(chain, input))
  return Either.map(readPage(operation, input, context, slice), ({ cursor, page, records, size }) => ({
    page,
    page_size: size,
    cursor,
    result: records.map((trade) => tradeRecord(chain, trade))
  }))
}, nftTradeChains)

const withoutZone = /\.\d{3}Z$/

const tradeRecord = (chain: ChainLedger, trade: NftSale): JsonDocument => ({
  transaction_hash: trade.transaction,
  transaction_index: String(trade.transactionIndex),
  token_ids: trade.tokenIds.map(String),
  seller_address: trade.seller,
  buyer_address: trade.buyer,
  token_address: trade.collection,
  marketplace_address: trade.marketplace,
  price_token_address: trade.priceToken,
  price: String(trade.price),
  block_timestamp: blockTimestamp(chain, trade.block)?.replace(withoutZone, "") ?? null,
  block_number: String(trade.block),
  block_hash: chain.block(trade.block)?.hash ?? null
})
