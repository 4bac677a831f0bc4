/** Exact sums of money: amounts times prices in US dollars. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import * as BigDecimal from "effect/BigDecimal"

/** Dollars are printed with so many decimals. */
const cents = 2

const decimal = (price: number): BigDecimal.BigDecimal => BigDecimal.unsafeFromNumber(price)

/** A price as plain digits, without an exponent. */
export const formatPrice = (price: number): string => formatDecimal(decimal(price))

/** What an amount in the smallest unit is worth. */
export const usdValue = (amount: bigint, decimals: number, price: number): string =>
  formatDecimal(
    BigDecimal.scale(BigDecimal.multiply(BigDecimal.make(amount, decimals), decimal(price)), cents)
  )

/** A price in another token's smallest unit. */
export const priceInToken = (price: number, other: number, decimals: number): bigint => {
  const precise = BigDecimal.scale(decimal(price), decimals + 30)
  const divisor = BigDecimal.scale(decimal(other), 30)
  return divisor.value === 0n ? 0n : precise.value / divisor.value
}
