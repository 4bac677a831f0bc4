/** Handles `tokenPrice`. */
import { priceChains } from "@blockquarry/core/Chain"
import { tokenPrice as operation } from "@blockquarry/core/operations/tokenPrice"
import * as Effect from "effect/Effect"
import type { ChainLedger, Token } from "../../Ledger.ts"
import { notFound } from "../ApiError.ts"
import { addressFor, numberFor } from "../Digest.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { formatPrice, nativeTokenAt, priceInToken, usdPriceAt } from "../Prices.ts"
import { chainHandler } from "../SandboxContext.ts"

/** The exchanges of every chain: their names in requests and in responses. */
const exchanges = [
  ["uniswapv2", "Uniswap v2"],
  ["uniswapv3", "Uniswap v3"],
  ["sushiswapv2", "SushiSwap v2"]
] as const

/** Returns the pools of a token: always one on the first exchange, and some on the others. */
const poolsOf = (chain: ChainLedger, token: Token) =>
  exchanges.flatMap(([name, title], index) => {
    const identity = [chain.name, token.address, name]
    if (index > 0 && numberFor(2, "listed", ...identity) === 0) return []
    return [{
      name,
      title,
      factory: addressFor("factory", chain.name, name),
      pair: addressFor("pair", ...identity),
      liquidityUsd: `${10_000 + numberFor(90_000_000, "liquidity", ...identity)}.${
        numberFor(90, "cents", ...identity) + 10
      }`,
      /** The price in this pool relative to the price of the token. */
      spread: index === 0 ? 1 : 1 + (numberFor(6001, "spread", ...identity) - 3000) / 1e6
    }]
  })

const noPool = notFound("No pools found with enough liquidity, to calculate the price")

export const tokenPrice = chainHandler(operation, (input, chain) => {
  const token = chain.tokens.get(input.address)
  if (token === undefined) return Effect.fail(notFound("Token not found"))
  const block = Math.min(input.to_block ?? chain.head, chain.head)
  const exchange = input.exchange?.toLowerCase()
  const pool = poolsOf(chain, token).find(({ factory, name }) =>
    exchange === undefined || exchange === name || exchange === factory
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
  pool: ReturnType<typeof poolsOf>[number],
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
    exchangeAddress: pool.factory,
    exchangeName: pool.title,
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
