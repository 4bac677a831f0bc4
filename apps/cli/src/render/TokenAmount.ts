import { formatUnits } from "@blockquarry/core/Amount"

/** Formats an amount in whole tokens, or as `raw` smallest units if the decimals are unknown. */
export const formatTokenAmount = (amount: bigint | null, decimals: number | null): string =>
  amount === null ? "" : decimals === null ? `${amount} (raw)` : formatUnits(amount, decimals)
