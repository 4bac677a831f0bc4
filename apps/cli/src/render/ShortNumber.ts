/** Shortens exact numbers to the width of a column. */
import { formatDecimal } from "@blockquarry/core/Decimal"
import * as BigDecimal from "effect/BigDecimal"

/** Formats a percentage with two decimals, rounded from the exact value. */
export const formatPercent = (percentage: BigDecimal.BigDecimal): string => {
  const rounded = BigDecimal.round(percentage, { scale: 2, mode: "half-from-zero" })
  if (BigDecimal.isZero(rounded) && BigDecimal.isPositive(percentage)) return "<0.01"
  const [whole, decimals = ""] = formatDecimal(rounded).split(".")
  return `${whole}.${decimals.padEnd(2, "0")}`
}

/** An exact number, and a remark such as ` (raw)`. */
const pattern = /^(-?)(\d+)(?:\.(\d+))?( .*)?$/

/**
 * Shortens a number so that it still shows its size: `1234.567…`, or `1.234…e+59` if the integer part does not fit or the
 * first digits of a fraction would be lost. `…` always marks missing digits. Other text stays as it is.
 */
export const shortenNumber = (text: string, columns: number): string => {
  const [, sign = "", integer, fraction = "", remark = ""] = pattern.exec(text) ?? []
  if (text.length <= columns || integer === undefined) return text
  const room = columns - sign.length - remark.length
  const significant = fraction.search(/[1-9]/)
  const keptFraction = room - integer.length - 2
  if (integer === "0" ? significant < keptFraction : keptFraction >= 0) {
    return `${sign}${integer}.${fraction.slice(0, keptFraction)}…${remark}`
  }
  const digits = integer === "0" ? fraction.slice(significant) : integer + fraction
  const exponent = integer === "0" ? `e-${significant + 1}` : `e+${integer.length - 1}`
  const mantissa = digits.replace(/^(.*[^0])0+$/, "$1")
  const kept = Math.max(0, room - exponent.length - 3)
  const [first = "", rest] = [mantissa[0], mantissa.slice(1)]
  return rest.length <= kept + 1
    ? `${sign}${first}${rest === "" ? "" : `.${rest}`}${exponent}${remark}`
    : `${sign}${first}${kept === 0 ? "" : `.${rest.slice(0, kept)}`}…${exponent}${remark}`
}
