/**
 * Where the busy token's transfers are on the chain: one to seven in a block, two in a transaction.
 *
 * How many share a block repeats every `pattern` blocks, so the place of a transfer is a look into a small table.
 */
import type { Hash } from "@blockquarry/core/Hash"
import { hashes } from "./Identifiers.ts"
import { makeRandom, randomAt } from "./Random.ts"

/** Blocks after which the numbers of transfers repeat. */
const patternBlocks = 64

const maxTransfersPerBlock = 7

/** Over how many blocks the past is spread, where there is room. */
const spanBlocks = 3_000_000

/** A place in the chain. */
export interface TransferPosition {
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
  readonly logIndex: number
}

/** Places of the transfers by their index. */
export interface BlockLayout {
  readonly at: (index: number) => TransferPosition
  /** How many there are up to a block, which is not before the head of old. */
  readonly count: (head: number) => number
}

/** Ordinary transactions have lower indices or much higher ones, so both mix within a block. */
export const firstTransaction = 200
export const firstLog = 700

/** Places of `scale` transfers up to the block `head`, and of more in every block after it. */
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

  /** The block of a transfer, counted from the first that has one, and its rank there. */
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
        // The last block of the past is the head itself
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
