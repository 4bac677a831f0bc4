/** Ranges of blocks and dates, and how times are written. */
import type { Range as RangeInput } from "@blockquarry/core/Input"
import * as DateTime from "effect/DateTime"
import type { ChainLedger } from "../Ledger.ts"

/** Blocks from `from` to `to`, both included. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The blocks that an input asks for: of a date, the first block not before it, or the last one not after it.
 */
export const rangeOf = (chain: ChainLedger, input: RangeInput): Range => ({
  from: input.from_block ??
    (input.from_date === undefined ? 0 : chain.blockAt(millis(input.from_date) - 1) + 1),
  to: input.to_block ?? (input.to_date === undefined ? Infinity : chain.blockAt(millis(input.to_date)))
})

const millis = (date: DateTime.Utc): number => DateTime.toEpochMillis(date)

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = (chain: ChainLedger, block: number): string | null => {
  const time = chain.block(block)?.timestamp
  return time === undefined ? null : iso(time)
}

/** The same of an instant. */
export const iso = (time: number): string => DateTime.formatIso(DateTime.unsafeMake(time))
