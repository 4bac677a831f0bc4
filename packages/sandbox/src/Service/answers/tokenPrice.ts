/** Price of an ERC20 token. */
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import * as Effect from "effect/Effect"
import type { ChainLedger, Token } from "../../Ledger.ts"
import { isMeant, type Pool, poolsOf } from "../Exchange.ts"
import type { Document } from "../Message.ts"
import { inUnitsOf, plain } from "../Money.ts"
import { nativeAt, usdAt } from "../Price.ts"
import { notFound } from "../Refusal.ts"
import { answering, chainOf } from "../World.ts"

const noPool = notFound("No pools found with enough liquidity, to calculate the price")

export const tokenPrice = answering(operation, (input, world) => {
  const chain = chainOf(world, input.chain)
  const token = chain.tokens.get(input.address)
  if (token === undefined) return Effect.fail(notFound("No token was found at this address"))
  const block = Math.min(input.to_block ?? chain.head, chain.head)
  const { exchange } = input
  const pool = poolsOf(chain, token).find((pool) =>
    exchange === undefined || isMeant(pool.exchange, exchange)
  )
  const price = usdAt(chain, token, block)
  const born = chain.tokenTransfers(token.address).at(0)?.block ?? 0
  return pool === undefined || price === null || block < born
    ? Effect.fail(noPool)
    : Effect.succeed(priceRecord(chain, token, pool, price, block, input.include === "percent_change"))
})

const priceRecord = (
  chain: ChainLedger,
  token: Token,
  pool: Pool,
  price: number,
  block: number,
  withChange: boolean
): Document => {
  const usd = pool.spread === 1 ? price : Number((price * pool.spread).toPrecision(12))
  const native = nativeAt(chain, block)
  return {
    tokenName: token.name,
    tokenSymbol: token.symbol,
    tokenLogo: token.logo,
    tokenDecimals: String(token.decimals),
    nativePrice: native === undefined ? null : {
      value: String(inUnitsOf(usd, native.usdPrice, native.decimals)),
      decimals: native.decimals,
      name: native.name,
      symbol: native.symbol,
      address: native.address
    },
    usdPrice: usd,
    usdPriceFormatted: plain(usd),
    "24hrPercentChange": withChange ? changeOverDay(chain, token, price, block) : undefined,
    exchangeAddress: pool.exchange.factory,
    exchangeName: pool.exchange.title,
    tokenAddress: token.address,
    toBlock: String(block),
    possibleSpam: String(token.possibleSpam),
    verifiedContract: token.verified,
    pairAddress: pool.pair,
    pairTotalLiquidityUsd: pool.liquidityUsd
  }
}

const day = 86_400_000

/** In per cent; null where there was no block a day before. */
const changeOverDay = (chain: ChainLedger, token: Token, price: number, block: number): string | null => {
  const time = chain.block(block)?.timestamp
  const before = time === undefined ? -1 : chain.blockAt(time - day)
  const then = before < 0 ? null : usdAt(chain, token, before)
  return then === null ? null : ((price - then) / then * 100).toFixed(12)
}
