import { formatUnits } from "@blockquarry/core/Amount"

/** The largest value of `uint8`. A contract may report more, and each decimal adds a character. */
const maxDecimals = 255

/** Returns the decimals that a contract reports; null if they are unknown or no decimals. */
export const validDecimals = (decimals: number | null): number | null =>
  decimals !== null && decimals >= 0 && decimals <= maxDecimals ? decimals : null

/** Formats an amount in whole tokens, or as `raw` smallest units if the decimals are unknown. */
export const formatTokenAmount = (amount: bigint | null, decimals: number | null): string => {
  const valid = validDecimals(decimals)
  return amount === null ? "" : valid === null ? `${amount} (raw)` : formatUnits(amount, valid)
}
