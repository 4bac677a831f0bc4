/** A file of its own, so that programs that only format amounts contain no schema. */

/**
 * Formats an amount in whole tokens, exactly: the digits of `amount` with the decimal point `decimals` places from the
 * right, without trailing zeros. Throws a `RangeError` unless `decimals` is an integer from 0 to 255, as on a chain.
 *
 * @example
 * import { formatUnits } from "@blockquarry/core/Amount"
 *
 * formatUnits(1500000000000000000n, 18) // "1.5"
 */
export const formatUnits = (amount: bigint, decimals: number): string => {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
    throw new RangeError(`expected decimals from 0 to 255, got ${decimals}`)
  }
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/^(.*[^0])?0+$/, "$1")
  const units = digits.slice(0, digits.length - decimals)
  return `${amount < 0n ? "-" : ""}${units}${fraction === "" ? "" : `.${fraction}`}`
}
