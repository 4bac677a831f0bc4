/**
 * The transfers of the busy token: any number, each computed on access.
 *
 * Transfer 0 mints the supply to the busy wallet. The others are pairs: a transfer to a counterparty, and a transfer from
 * the counterparty of the previous pair, of at most the amount that it received. Counterparties, amounts and order repeat
 * every `pairsPerRound` pairs; in each round the amounts increase by a fixed step. A table of one round and the number of
 * rounds therefore determine every transfer, the transfers of every wallet, and every balance.
 */
import type { Address } from "@blockquarry/core/Address"
import * as Aggregates from "./Aggregates.ts"
import { hashes, zeroAddress } from "./Identifiers.ts"
import { lazy } from "./Lazy.ts"
import type { LogPosition, Sequence, TokenTransfer } from "./Model.ts"
import { makeRandom, randomAt } from "./Random.ts"
import { firstIndex, isValidIndex } from "./Sequences.ts"

const pairsPerRound = 512

/** Sufficient for any number of rounds in practice, with 18 decimals. */
const supply = 10n ** 33n

/** One of the two transfers of a pair: its amount in the first round, and the increase per round. */
interface TransferPattern {
  readonly from: Address
  readonly to: Address
  readonly first: bigint
  readonly step: bigint
}

/** Creates the transfers of a round. */
const makeRound = (
  seed: string,
  wallet: Address,
  counterparties: ReadonlyArray<Address>
): ReadonlyArray<TransferPattern> => {
  const { below, bigBelow, pick } = makeRandom(`${seed}/busy`)
  const outgoing = Array.from({ length: pairsPerRound }, (_, pair): TransferPattern => ({
    from: wallet,
    to: pair % 97 === 50 ? zeroAddress : pick(counterparties),
    first: 1n + bigBelow(10n ** BigInt(14 + below(10))),
    step: bigBelow(10n ** BigInt(10 + below(8)))
  }))
  return outgoing.flatMap((outbound, pair) => {
    const previous = outgoing[pair - 1]
    const share = BigInt(1 + below(16))
    // The first pair has no previous counterparty, so the round starts with a mint
    const inbound = previous === undefined ? { ...outbound, from: zeroAddress, to: wallet } : {
      from: previous.to,
      to: wallet,
      first: (previous.first * share) / 16n,
      step: (previous.step * share) / 16n
    }
    return below(2) === 0 ? [outbound, inbound] : [inbound, outbound]
  })
}

/** The number of blocks after which the pattern repeats. */
const patternBlocks = 64

const maxTransfersPerBlock = 7

/** The number of blocks over which past transfers are spread. */
const spanBlocks = 3_000_000

/** Other transactions have lower or much higher indexes, so that both kinds are mixed within a block. */
const firstTransaction = 200
const firstLog = 700

/**
 * Creates the positions of `scale` transfers up to the block `head`, and of transfers in all later blocks: one to seven per block,
 * two per transaction. The number of transfers per block repeats, so a small table determines each position.
 */
const makeBlockLayout = (seed: string, head: number, scale: number) => {
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
    at: (index: number): LogPosition => {
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
    /** Returns the number of transfers up to a block, which must not be before the initial head. */
    count: (block: number): number => scale + transfersBefore(Math.max(0, block - head))
  }
}

/**
 * Creates the transfers between the busy wallet and its counterparties: `scale` up to the block `head`. The result is a function
 * from a head to the transfers up to it.
 */
export const syntheticTransfers = (options: {
  readonly seed: string
  readonly token: Address
  readonly wallet: Address
  readonly counterparties: ReadonlyArray<Address>
  readonly head: number
  readonly scale: number
}) => {
  const { seed, token, wallet } = options
  const layout = makeBlockLayout(seed, options.head, options.scale)
  const patterns = lazy(() =>
    makeRound(seed, wallet, options.counterparties.filter((counterparty) => counterparty !== wallet))
  )
  const length = 2 * pairsPerRound

  const at = (index: number): TokenTransfer | undefined => {
    const position = layout.at(index)
    if (index === 0) return { token, ...position, from: zeroAddress, to: wallet, value: supply }
    const pattern = patterns()[(index - 1) % length]
    if (pattern === undefined) return undefined
    const { first, from, step, to } = pattern
    return { token, ...position, from, to, value: first + step * BigInt(Math.floor((index - 1) / length)) }
  }

  /** The ranks in a round of the transfers of each wallet. */
  const ranksByWallet = lazy(() => {
    const ranked = patterns().map(({ from, to }, rank) => ({ from, to, rank }))
    return Aggregates.groupBy(ranked, "from", "to")
  })

  return (head: number) => {
    const count = layout.count(head)
    const rounds = Math.floor(Math.max(0, count - 1) / length)
    const remainder = Math.max(0, count - 1) % length
    const sequence = (size: number, transferAt: Sequence<TokenTransfer>["at"]): Sequence<TokenTransfer> => ({
      length: size,
      at: (index) => isValidIndex(index, size) ? transferAt(index) : undefined
    })
    const all = sequence(count, at)
    /** The transfers from or to a wallet. */
    const ofWallet = (party: Address): Sequence<TokenTransfer> => {
      if (party === wallet) return all
      const own = ranksByWallet().get(party) ?? []
      const minted = party === zeroAddress && count > 0 ? 1 : 0
      const inLastRound = firstIndex(own.length, (index) => (own[index]?.rank ?? length) >= remainder)
      return sequence(minted + rounds * own.length + inLastRound, (index) => {
        const indexed = index - minted
        const rank = own[indexed % own.length]?.rank ?? 0
        return at(indexed < 0 ? 0 : 1 + Math.floor(indexed / own.length) * length + rank)
      })
    }
    const holders = lazy(() => {
      const minted = { from: zeroAddress, to: wallet, value: count > 0 ? supply : 0n }
      const transferred = patterns().map(({ first, from, step, to }, rank) => {
        const times = BigInt(rounds + (rank < remainder ? 1 : 0))
        return { from, to, value: first * times + (step * times * (times - 1n)) / 2n }
      })
      return Aggregates.holders([minted, ...transferred], ({ value }) => value)
    })
    return { all, ofWallet, holders }
  }
}
