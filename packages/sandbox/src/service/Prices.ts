/** Prices and values in US dollars: a deterministic curve for each token, so that all responses are consistent. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import type { ChainLedger, Token } from "../Ledger.ts"
import { numberFor } from "./Digest.ts"

/** A triangle wave between -1 and 1. */
const wave = (block: number, period: number, phase: number): number =>
  1 - 4 * Math.abs(((block + phase) % period) / period - 0.5)

const slowPeriod = 50_000
const fastPeriod = 1201

/** Varies a price of the ledger by a few percent. */
const fluctuate = (price: number, block: number, identity: string): number => {
  const phase = numberFor(slowPeriod, "price", identity)
  const factor = 1 + 0.04 * wave(block, slowPeriod, phase) + 0.01 * wave(block, fastPeriod, phase)
  return Number((price * factor).toPrecision(12))
}

/** Returns US dollars for one whole token at a block, or null if no exchange has a pair. */
export const usdPriceAt = (chain: ChainLedger, token: Token, block: number): number | null =>
  token.usdPrice === null ? null : fluctuate(token.usdPrice, block, `${chain.name} ${token.address}`)

/** Returns the native token of a chain, with the address of its wrapped token, and its price at a block. */
export const nativeTokenAt = (chain: ChainLedger, block: number) => {
  const wrapped = chain.tokens.get(chain.wrappedNative)
  const usdPrice = wrapped === undefined ? null : usdPriceAt(chain, wrapped, block)
  return wrapped === undefined || usdPrice === null ? undefined : {
    name: wrapped.name.replace(/^Wrapped /, ""),
    symbol: wrapped.symbol.replace(/^W/, ""),
    decimals: wrapped.decimals,
    address: wrapped.address,
    usdPrice
  }
}

const decimal = (price: number): BigDecimal.BigDecimal => BigDecimal.unsafeFromNumber(price)

/** Formats a price without an exponent. */
export const formatPrice = (price: number): string => formatDecimal(decimal(price))

/** Returns the value of an amount in smallest units, in cents. */
export const usdValue = (amount: bigint, decimals: number, price: number): string =>
  formatDecimal(BigDecimal.scale(BigDecimal.multiply(BigDecimal.make(amount, decimals), decimal(price)), 2))

/** Converts a price to the smallest unit of another token. */
export const priceInToken = (price: number, other: number, decimals: number): bigint => {
  const precise = BigDecimal.scale(decimal(price), decimals + 30)
  const divisor = BigDecimal.scale(decimal(other), 30)
  return divisor.value === 0n ? 0n : precise.value / divisor.value
}
