/** Draws the price of a token now and 24 hours ago. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import * as BigDecimal from "effect/BigDecimal"
import { type Chart, shortId, valuePanel } from "./Chart.ts"

/** Significant digits of the earlier price, which is calculated from a rounded percentage. */
const earlierDigits = 6

const hundred = BigDecimal.make(100n, 0)

export const priceChart = (price: TokenPrice): Chart => {
  const change = price["24hrPercentChange"]
  const token = price.tokenSymbol ?? price.tokenName ?? shortId(price.tokenAddress ?? "the token")
  const factor = change === null ? 0 : BigDecimal.unsafeToNumber(BigDecimal.sum(change, hundred)) / 100
  // A loss of 100%, or almost, says nothing about the earlier price
  const hasEarlier = factor > 0 && Number.isFinite(price.usdPrice / factor)
  const now = BigDecimal.unsafeFromNumber(price.usdPrice)
  const earlier = BigDecimal.unsafeFromNumber(
    hasEarlier ? Number((price.usdPrice / factor).toPrecision(earlierDigits)) : 0
  )
  const sign = change !== null && BigDecimal.isPositive(change) ? "+" : ""
  return {
    title: `Price of ${token} in US dollars`,
    labels: [...(hasEarlier ? ["24 hours ago"] : []), "now"],
    panels: [[valuePanel("US dollars", [
      // Formatted without an exponent
      ...(hasEarlier ? [[earlier, `≈${formatDecimal(earlier)}`] as const] : []),
      [now, price.usdPriceFormatted ?? formatDecimal(now)]
    ])]],
    notes: [
      change === null
        ? "The service returned no 24-hour change."
        : `Change in 24 hours: ${sign}${formatDecimal(change)}%.`
    ]
  }
}
