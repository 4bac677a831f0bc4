/**
 * The busy token: as many transfers as one likes, each worked out where it is read.
 *
 * Transfer 0 mints the supply to the busy wallet. Then come pairs: one transfer out to a counterparty, and one back
 * from the counterparty of the pair before, never more than it got. Who, how much and in which order repeats every
 * `pairs` pairs, only the amounts grow from round to round by a fixed step. So whatever is asked, a transfer, a
 * wallet's transfers or a balance, follows from a table of one round and the number of rounds.
 */
import type { Address } from "@blockquarry/core/Address"
import { firstIndex } from "../internal/search.ts"
import type { Sequence, TokenTransfer } from "../Ledger.ts"
import { groupByParticipant } from "./Aggregates.ts"
import type { BlockLayout, TransferPosition } from "./BlockLayout.ts"
import { zeroAddress } from "./Identifiers.ts"
import { lazy } from "./Lazy.ts"
import { makeRandom } from "./Random.ts"
import { isValidIndex } from "./Sequences.ts"

/** Pairs in a round. */
const pairsPerRound = 512

/** Enough for more rounds than anybody reads, with its 18 decimals. */
const supply = 10n ** 33n

/** An amount of a round, and how much it grows with each. */
interface GrowingAmount {
  readonly first: bigint
  readonly step: bigint
}

/** One of the two transfers of a pair. */
interface TransferPattern {
  readonly from: Address
  readonly to: Address
  readonly amount: GrowingAmount
}

/** @see syntheticTransfers */
export interface SyntheticTransfers {
  /** The transfers of the token, of which the first `count` happened. */
  readonly all: (count: number) => Sequence<TokenTransfer>
  /** Those that a wallet takes part in. */
  readonly ofWallet: (wallet: Address, count: number) => Sequence<TokenTransfer>
  /** Balances after `count` transfers. */
  readonly balances: (count: number) => ReadonlyMap<Address, bigint>
  readonly supply: (count: number) => bigint
}

/** The moves of a round in their order. */
const makeRound = (
  seed: string,
  wallet: Address,
  counterparties: ReadonlyArray<Address>
): ReadonlyArray<TransferPattern> => {
  const { below, bigBelow, pick } = makeRandom(`${seed}/busy`)
  const outgoing = Array.from({ length: pairsPerRound }, (_, pair) => ({
    party: pair % 97 === 50 ? zeroAddress : pick(counterparties),
    amount: {
      first: 1n + bigBelow(10n ** BigInt(14 + below(10))),
      step: bigBelow(10n ** BigInt(10 + below(8)))
    }
  }))
  return outgoing.flatMap((out, pair) => {
    const previous = outgoing[pair - 1]
    const share = BigInt(1 + below(16))
    const outbound: TransferPattern = { from: wallet, to: out.party, amount: out.amount }
    // Nobody got anything before the first pair of the first round, so the round starts with a mint
    const inbound: TransferPattern = previous === undefined
      ? { from: zeroAddress, to: wallet, amount: out.amount }
      : {
        from: previous.party,
        to: wallet,
        amount: { first: (previous.amount.first * share) / 16n, step: (previous.amount.step * share) / 16n }
      }
    return below(2) === 0 ? [outbound, inbound] : [inbound, outbound]
  })
}

/** The busy token's transfers between the busy wallet and others, at given places. */
export const syntheticTransfers = (options: {
  readonly seed: string
  readonly token: Address
  readonly wallet: Address
  readonly counterparties: ReadonlyArray<Address>
  readonly layout: BlockLayout
}): SyntheticTransfers => {
  const { layout: places, token, wallet } = options
  const patterns = lazy(() =>
    makeRound(options.seed, wallet, options.counterparties.filter((person) => person !== wallet))
  )
  const length = 2 * pairsPerRound

  const transfer = (
    position: TransferPosition,
    from: Address,
    to: Address,
    value: bigint
  ): TokenTransfer => ({
    token,
    ...position,
    from,
    to,
    value
  })
  const at = (index: number): TokenTransfer | undefined => {
    if (index === 0) return transfer(places.at(0), zeroAddress, wallet, supply)
    const move = patterns()[(index - 1) % length]
    if (move === undefined) return undefined
    const { first, step } = move.amount
    const value = first + step * BigInt(Math.floor((index - 1) / length))
    return transfer(places.at(index), move.from, move.to, value)
  }
  const all = (count: number): Sequence<TokenTransfer> => ({
    length: count,
    at: (index) => (isValidIndex(index, count) ? at(index) : undefined)
  })

  /** Which moves of a round somebody takes part in. */
  const indexesByWallet = lazy(() => {
    const indexed = patterns().map((move, index) => ({ ...move, index }))
    return new Map(
      Array.from(
        groupByParticipant(indexed, ({ from, to }) => [from, to]),
        ([party, ownIndexes]) => [party, ownIndexes.map(({ index }) => index)]
      )
    )
  })
  const ofWallet = (party: Address, count: number): Sequence<TokenTransfer> => {
    if (party === wallet) return all(count)
    const ownIndexes = indexesByWallet().get(party) ?? []
    const minted = party === zeroAddress ? 1 : 0
    if (count === 0 || ownIndexes.length + minted === 0) return all(0)
    const rounds = Math.floor((count - 1) / length)
    const remainder = (count - 1) % length
    const total = minted + rounds * ownIndexes.length +
      firstIndex(ownIndexes.length, (indexed) => (ownIndexes[indexed] ?? length) >= remainder)
    return {
      length: total,
      at: (index) => {
        if (!isValidIndex(index, total)) return undefined
        if (index < minted) return at(0)
        const indexed = index - minted
        return at(
          1 + Math.floor(indexed / ownIndexes.length) * length +
            (ownIndexes[indexed % ownIndexes.length] ?? 0)
        )
      }
    }
  }

  const netAmounts = (count: number): ReadonlyMap<Address, bigint> => {
    const sums = new Map<Address, bigint>()
    const add = (party: Address, amount: bigint) => sums.set(party, (sums.get(party) ?? 0n) + amount)
    if (count > 0) {
      add(zeroAddress, -supply)
      add(wallet, supply)
      const rounds = Math.floor((count - 1) / length)
      const remainder = (count - 1) % length
      patterns().forEach(({ amount, from, to }, index) => {
        const times = BigInt(rounds + (index < remainder ? 1 : 0))
        const sum = amount.first * times + (amount.step * times * (times - 1n)) / 2n
        add(from, -sum)
        add(to, sum)
      })
    }
    return sums
  }
  return {
    all,
    ofWallet,
    balances: (count) => new Map([...netAmounts(count)].filter(([party]) => party !== zeroAddress)),
    supply: (count) => -(netAmounts(count).get(zeroAddress) ?? 0n)
  }
}
