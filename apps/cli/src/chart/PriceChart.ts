/** Draws the price of a token now and 24 hours ago. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import * as BigDecimal from "effect/BigDecimal"
import { barTo, type Chart, shortId } from "./Chart.ts"

/** Significant digits of the earlier price, which is calculated from a rounded percentage. */
const earlierDigits = 6

const hundred = BigDecimal.make(100n, 0)

/** Formats a number without an exponent. */
const formatNumber = (value: number): string => formatDecimal(BigDecimal.unsafeFromNumber(value))

export const priceChart = (price: TokenPrice): Chart => {
  const change = price["24hrPercentChange"]
  const token = price.tokenSymbol ?? price.tokenName ?? shortId(price.tokenAddress ?? "the token")
  const factor = change === null ? 0 : BigDecimal.unsafeToNumber(BigDecimal.sum(change, hundred)) / 100
  // A loss of 100%, or almost, says nothing about the earlier price
  const earlier = factor > 0 && Number.isFinite(price.usdPrice / factor) ? price.usdPrice / factor : null
  const max = Math.max(price.usdPrice, earlier ?? 0)
  const position = (value: number) => max > 0 ? Math.max(0, value / max) : 0
  const sign = change !== null && BigDecimal.isPositive(change) ? "+" : ""
  return {
    title: `Price of ${token} in US dollars`,
    labels: [...(earlier === null ? [] : ["24 hours ago"]), "now"],
    panels: [[{
      name: "US dollars",
      ticks: [],
      bars: [
        ...(earlier === null
          ? []
          : [barTo(position(earlier), `≈${formatNumber(Number(earlier.toPrecision(earlierDigits)))}`)]),
        barTo(position(price.usdPrice), price.usdPriceFormatted ?? formatNumber(price.usdPrice))
      ]
    }]],
    notes: [
      change === null
        ? "The service returned no 24-hour change."
        : `Change in 24 hours: ${sign}${formatDecimal(change)}%.`
    ]
  }
}
