/** Block ranges of requests, and formatting of timestamps. */
import type { BlockOrDateRange } from "@blockquarry/core/InputSchema"
import * as DateTime from "effect/DateTime"
import type { ChainLedger } from "../Ledger.ts"

/** Blocks from `from` to `to`, inclusive. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** Returns the block range of an input. A date becomes the first block not before it, or the last block not after it. */
export const blockRange = (chain: ChainLedger, input: BlockOrDateRange): BlockRange => ({
  from: input.from_block ??
    (input.from_date === undefined ? 0 : chain.blockAt(millis(input.from_date) - 1) + 1),
  to: input.to_block ?? (input.to_date === undefined ? Infinity : chain.blockAt(millis(input.to_date)))
})

const millis = (date: DateTime.Utc): number => DateTime.toEpochMillis(date)

/** Formats the timestamp of a block as ISO 8601 in UTC with milliseconds. */
export const blockTimestamp = (chain: ChainLedger, block: number): string | null => {
  const time = chain.block(block)?.timestamp
  return time === undefined ? null : formatTimestamp(time)
}

/** Formats a time in milliseconds as ISO 8601 in UTC. */
export const formatTimestamp = (time: number): string => DateTime.formatIso(DateTime.unsafeMake(time))
