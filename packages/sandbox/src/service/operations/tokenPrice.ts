/** Handles `tokenPrice`. */
import { priceChains } from "@blockquarry/core/Chain"
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import * as Effect from "effect/Effect"
import type { ChainLedger, Token } from "../../Ledger.ts"
import { notFound } from "../ApiError.ts"
import { type LiquidityPool, matchesDex, poolsOf } from "../DexPools.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { formatPrice, nativeTokenAt, priceInToken, usdPriceAt } from "../Prices.ts"
import { chainHandler } from "../SandboxContext.ts"

const noPool = notFound("No pools found with enough liquidity, to calculate the price")

export const tokenPrice = chainHandler(operation, (input, chain) => {
  const token = chain.tokens.get(input.address)
  if (token === undefined) return Effect.fail(notFound("Token not found"))
  const block = Math.min(input.to_block ?? chain.head, chain.head)
  const { exchange } = input
  const pool = poolsOf(chain, token).find((pool) =>
    exchange === undefined || matchesDex(pool.exchange, exchange)
  )
  const price = usdPriceAt(chain, token, block)
  // At the head there is a price, so the history need not be generated
  const isBeforeMint = block < chain.head && block < (chain.tokenTransfers(token.address).at(0)?.block ?? 0)
  return pool === undefined || price === null || isBeforeMint
    ? Effect.fail(noPool)
    : Effect.succeed(priceRecord(chain, token, pool, price, block, input.include === "percent_change"))
}, priceChains)

const priceRecord = (
  chain: ChainLedger,
  token: Token,
  pool: LiquidityPool,
  price: number,
  block: number,
  withChange: boolean
): JsonDocument => {
  const usd = pool.spread === 1 ? price : Number((price * pool.spread).toPrecision(12))
  const native = nativeTokenAt(chain, block)
  return {
    tokenName: token.name,
    tokenSymbol: token.symbol,
    tokenLogo: token.logo,
    tokenDecimals: String(token.decimals),
    nativePrice: native === undefined ? null : {
      value: String(priceInToken(usd, native.usdPrice, native.decimals)),
      decimals: native.decimals,
      name: native.name,
      symbol: native.symbol,
      address: native.address
    },
    usdPrice: usd,
    usdPriceFormatted: formatPrice(usd),
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

/** In percent; null if there was no block a day before. */
const changeOverDay = (chain: ChainLedger, token: Token, price: number, block: number): string | null => {
  const time = chain.block(block)?.timestamp
  const before = time === undefined ? -1 : chain.blockAt(time - day)
  const previousPrice = before < 0 ? null : usdPriceAt(chain, token, before)
  return previousPrice === null ? null : ((price - previousPrice) / previousPrice * 100).toFixed(12)
}
