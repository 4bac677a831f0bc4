/** Prices: one deterministic curve per token, so that every answer that speaks of dollars agrees. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainLedger, Token } from "../Ledger.ts"
import { numberFor } from "./Digest.ts"

/** A wave between -1 and 1. */
const wave = (block: number, period: number, phase: number): number =>
  1 - 4 * Math.abs(((block + phase) % period) / period - 0.5)

const slowPeriod = 50_000
const fastPeriod = 1201

/** A few per cent around the price that the ledger states. */
const fluctuate = (price: number, block: number, identity: string): number => {
  const phase = numberFor(slowPeriod, "price", identity)
  const factor = 1 + 0.04 * wave(block, slowPeriod, phase) + 0.01 * wave(block, fastPeriod, phase)
  return Number((price * factor).toPrecision(12))
}

/** US dollars for one whole token at a block; null where no exchange has a pair. */
export const usdPriceAt = (chain: ChainLedger, token: Token, block: number): number | null =>
  token.usdPrice === null ? null : fluctuate(token.usdPrice, block, `${chain.name} ${token.address}`)

/** The chain's native token, as the token says it that wraps it. */
export interface NativeToken {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** What stands for it where a contract is expected. */
  readonly address: Address
  /** US dollars for one whole token at a block. */
  readonly usdPrice: number
}

export const nativeTokenAt = (chain: ChainLedger, block: number): NativeToken | undefined => {
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
