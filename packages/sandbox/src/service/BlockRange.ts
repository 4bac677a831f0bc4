/** Ranges of blocks and dates, and how times are written. */
import type { BlockOrDateRange as RangeInput } from "@blockquarry/core/InputSchema"
import * as DateTime from "effect/DateTime"
import type { ChainLedger } from "../Ledger.ts"

/** Blocks from `from` to `to`, both included. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/**
 * The blocks that an input asks for: of a date, the first block not before it, or the last one not after it.
 */
export const blockRange = (chain: ChainLedger, input: RangeInput): BlockRange => ({
  from: input.from_block ??
    (input.from_date === undefined ? 0 : chain.blockAt(millis(input.from_date) - 1) + 1),
  to: input.to_block ?? (input.to_date === undefined ? Infinity : chain.blockAt(millis(input.to_date)))
})

const millis = (date: DateTime.Utc): number => DateTime.toEpochMillis(date)

/** ISO 8601 in UTC with milliseconds. */
export const blockTimestamp = (chain: ChainLedger, block: number): string | null => {
  const time = chain.block(block)?.timestamp
  return time === undefined ? null : formatTimestamp(time)
}

/** The same of an instant. */
export const formatTimestamp = (time: number): string => DateTime.formatIso(DateTime.unsafeMake(time))
