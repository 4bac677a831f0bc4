/**
 * The positions of the busy token's transfers: one to seven per block, two per transaction.
 *
 * The number of transfers per block repeats every `patternBlocks` blocks, so a small table determines each position.
 */
import { hashes } from "./Identifiers.ts"
import type { LogPosition } from "./Model.ts"
import { makeRandom, randomAt } from "./Random.ts"

/** The number of blocks after which the pattern repeats. */
const patternBlocks = 64

const maxTransfersPerBlock = 7

/** The number of blocks over which past transfers are spread. */
const spanBlocks = 3_000_000

/** Positions of transfers by index. */
export interface BlockLayout {
  readonly at: (index: number) => LogPosition
  /** Returns the number of transfers up to a block, which must not be before the initial head. */
  readonly count: (head: number) => number
}

/** Other transactions have lower or much higher indexes, so that both kinds are mixed within a block. */
const firstTransaction = 200
const firstLog = 700

/** Creates the positions of `scale` transfers up to the block `head`, and of transfers in all later blocks. */
export const makeBlockLayout = (seed: string, head: number, scale: number): BlockLayout => {
  const { below } = makeRandom(`${seed}/busy/places`)
  const starts: Array<number> = []
  const blocks: Array<number> = []
  for (let block = 0; block < patternBlocks; block++) {
    starts.push(blocks.length)
    const size = 1 + below(maxTransfersPerBlock)
    for (let i = 0; i < size; i++) blocks.push(block)
  }
  const transfersPerPattern = blocks.length

  /** The block of a transfer, counted from its first block, and its rank in that block. */
  const positionInPattern = (index: number): { readonly block: number; readonly rank: number } => {
    const offset = index % transfersPerPattern
    const block = blocks[offset] ?? 0
    return {
      block: Math.floor(index / transfersPerPattern) * patternBlocks + block,
      rank: offset - (starts[block] ?? 0)
    }
  }
  const transfersBefore = (block: number): number =>
    Math.floor(block / patternBlocks) * transfersPerPattern + (starts[block % patternBlocks] ?? 0)

  const pastBlocks = scale === 0 ? 0 : positionInPattern(scale - 1).block + 1
  const gap = Math.max(1, Math.floor(spanBlocks / Math.max(1, pastBlocks)))
  const noise = randomAt(`${seed}/busy/gaps`)
  const hash = hashes(`${seed}/busy/transaction`)
  return {
    at: (index) => {
      const isPast = index < scale
      const { block, rank } = positionInPattern(isPast ? index : index - scale)
      const ordinal = isPast ? block : pastBlocks + block
      const pair = rank >> 1
      return {
        // The last past block is the head
        block: isPast && block < pastBlocks - 1
          ? head - (pastBlocks - 1 - block) * gap + (noise(block) % gap)
          : head + ordinal - pastBlocks + 1,
        transaction: hash(ordinal * maxTransfersPerBlock + pair),
        transactionIndex: firstTransaction + 2 * pair,
        logIndex: firstLog + 3 * rank + (noise(ordinal) % 3)
      }
    },
    count: (block) => scale + transfersBefore(Math.max(0, block - head))
  }
}
