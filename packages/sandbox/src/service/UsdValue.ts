/** Exact values in US dollars. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import * as BigDecimal from "effect/BigDecimal"

/** Decimals of values in US dollars. */
const cents = 2

const decimal = (price: number): BigDecimal.BigDecimal => BigDecimal.unsafeFromNumber(price)

/** Formats a price without an exponent. */
export const formatPrice = (price: number): string => formatDecimal(decimal(price))

/** Returns the value of an amount in smallest units. */
export const usdValue = (amount: bigint, decimals: number, price: number): string =>
  formatDecimal(
    BigDecimal.scale(BigDecimal.multiply(BigDecimal.make(amount, decimals), decimal(price)), cents)
  )

/** Converts a price to the smallest unit of another token. */
export const priceInToken = (price: number, other: number, decimals: number): bigint => {
  const precise = BigDecimal.scale(decimal(price), decimals + 30)
  const divisor = BigDecimal.scale(decimal(other), 30)
  return divisor.value === 0n ? 0n : precise.value / divisor.value
}
