/**
 * Where the busy token's transfers are on the chain: one to seven in a block, two in a transaction.
 *
 * How many share a block repeats every `pattern` blocks, so the place of a transfer is a look into a small table.
 */
import type { Hash } from "@blockquarry/core/Hash"
import { hashes } from "./Identity.ts"
import { at, random } from "./Random.ts"

/** Blocks after which the numbers of transfers repeat. */
const pattern = 64

const most = 7

/** Over how many blocks the past is spread, where there is room. */
const span = 3_000_000

/** A place in the chain. */
export interface Place {
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
  readonly logIndex: number
}

/** Places of the transfers by their index. */
export interface Places {
  readonly at: (index: number) => Place
  /** How many there are up to a block, which is not before the head of old. */
  readonly count: (head: number) => number
}

/** Ordinary transactions have lower indices or much higher ones, so both mix within a block. */
export const firstTransaction = 200
export const firstLog = 700

/** Places of `scale` transfers up to the block `head`, and of more in every block after it. */
export const makePlaces = (seed: string, head: number, scale: number): Places => {
  const { below } = random(`${seed}/busy/places`)
  const starts: Array<number> = []
  const blocks: Array<number> = []
  for (let block = 0; block < pattern; block++) {
    starts.push(blocks.length)
    const size = 1 + below(most)
    for (let i = 0; i < size; i++) blocks.push(block)
  }
  const round = blocks.length

  /** The block of a transfer, counted from the first that has one, and its rank there. */
  const spot = (index: number): { readonly block: number; readonly rank: number } => {
    const turn = index % round
    const block = blocks[turn] ?? 0
    return { block: Math.floor(index / round) * pattern + block, rank: turn - (starts[block] ?? 0) }
  }
  const before = (block: number): number =>
    Math.floor(block / pattern) * round + (starts[block % pattern] ?? 0)

  const past = scale === 0 ? 0 : spot(scale - 1).block + 1
  const gap = Math.max(1, Math.floor(span / Math.max(1, past)))
  const noise = at(`${seed}/busy/gaps`)
  const hash = hashes(`${seed}/busy/transaction`)
  return {
    at: (index) => {
      const isPast = index < scale
      const { block, rank } = spot(isPast ? index : index - scale)
      const ordinal = isPast ? block : past + block
      const pair = rank >> 1
      return {
        // The last block of the past is the head itself
        block: isPast && block < past - 1
          ? head - (past - 1 - block) * gap + (noise(block) % gap)
          : head + ordinal - past + 1,
        transaction: hash(ordinal * most + pair),
        transactionIndex: firstTransaction + 2 * pair,
        logIndex: firstLog + 3 * rank + (noise(ordinal) % 3)
      }
    },
    count: (block) => scale + before(Math.max(0, block - head))
  }
}
