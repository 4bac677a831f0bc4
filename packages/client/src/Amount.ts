/** Amounts for display. */
import * as Amount from "@blockquarry/core/Amount"

/**
 * Formats an amount in whole tokens, exactly: the digits of `amount` with the decimal point `decimals` places from the
 * right, without trailing zeros. Throws a `RangeError` unless `decimals` is an integer from 0 to 255, as on a chain.
 *
 * @example
 * import { formatUnits } from "@blockquarry/client"
 *
 * formatUnits(1500000000000000000n, 18) // "1.5"
 */
export const formatUnits: (amount: bigint, decimals: number) => string = Amount.formatUnits
