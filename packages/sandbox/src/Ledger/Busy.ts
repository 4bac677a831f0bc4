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
import { groupByParty } from "./Aggregate.ts"
import { zeroAddress } from "./Identity.ts"
import { lazy } from "./Lazy.ts"
import type { Place, Places } from "./Places.ts"
import { random } from "./Random.ts"
import { within } from "./Sequences.ts"

/** Pairs in a round. */
const pairs = 512

/** Enough for more rounds than anybody reads, with its 18 decimals. */
const supply = 10n ** 33n

/** An amount of a round, and how much it grows with each. */
interface Amount {
  readonly first: bigint
  readonly step: bigint
}

/** One of the two transfers of a pair. */
interface Move {
  readonly from: Address
  readonly to: Address
  readonly amount: Amount
}

/** @see busy */
export interface Busy {
  /** The transfers of the token, of which the first `count` happened. */
  readonly all: (count: number) => Sequence<TokenTransfer>
  /** Those that a wallet takes part in. */
  readonly of: (wallet: Address, count: number) => Sequence<TokenTransfer>
  /** Balances after `count` transfers. */
  readonly balances: (count: number) => ReadonlyMap<Address, bigint>
  readonly supply: (count: number) => bigint
}

/** The moves of a round in their order. */
const round = (seed: string, wallet: Address, people: ReadonlyArray<Address>): ReadonlyArray<Move> => {
  const { below, bigBelow, pick } = random(`${seed}/busy`)
  const outs = Array.from({ length: pairs }, (_, pair) => ({
    party: pair % 97 === 50 ? zeroAddress : pick(people),
    amount: {
      first: 1n + bigBelow(10n ** BigInt(14 + below(10))),
      step: bigBelow(10n ** BigInt(10 + below(8)))
    }
  }))
  return outs.flatMap((out, pair) => {
    const before = outs[pair - 1]
    const share = BigInt(1 + below(16))
    const away: Move = { from: wallet, to: out.party, amount: out.amount }
    // Nobody got anything before the first pair of the first round, so the round starts with a mint
    const back: Move = before === undefined
      ? { from: zeroAddress, to: wallet, amount: out.amount }
      : {
        from: before.party,
        to: wallet,
        amount: { first: (before.amount.first * share) / 16n, step: (before.amount.step * share) / 16n }
      }
    return below(2) === 0 ? [away, back] : [back, away]
  })
}

/** The busy token's transfers between the busy wallet and others, at given places. */
export const busy = (options: {
  readonly seed: string
  readonly token: Address
  readonly wallet: Address
  readonly people: ReadonlyArray<Address>
  readonly places: Places
}): Busy => {
  const { places, token, wallet } = options
  const moves = lazy(() => round(options.seed, wallet, options.people.filter((person) => person !== wallet)))
  const length = 2 * pairs

  const transfer = (place: Place, from: Address, to: Address, value: bigint): TokenTransfer => ({
    token,
    ...place,
    from,
    to,
    value
  })
  const at = (index: number): TokenTransfer | undefined => {
    if (index === 0) return transfer(places.at(0), zeroAddress, wallet, supply)
    const move = moves()[(index - 1) % length]
    if (move === undefined) return undefined
    const { first, step } = move.amount
    const value = first + step * BigInt(Math.floor((index - 1) / length))
    return transfer(places.at(index), move.from, move.to, value)
  }
  const all = (count: number): Sequence<TokenTransfer> => ({
    length: count,
    at: (index) => (within(index, count) ? at(index) : undefined)
  })

  /** Which moves of a round somebody takes part in. */
  const turns = lazy(() => {
    const turn = moves().map((move, index) => ({ ...move, index }))
    return new Map(
      Array.from(
        groupByParty(turn, ({ from, to }) => [from, to]),
        ([party, own]) => [party, own.map(({ index }) => index)]
      )
    )
  })
  const of = (party: Address, count: number): Sequence<TokenTransfer> => {
    if (party === wallet) return all(count)
    const own = turns().get(party) ?? []
    const minted = party === zeroAddress ? 1 : 0
    if (count === 0 || own.length + minted === 0) return all(0)
    const rounds = Math.floor((count - 1) / length)
    const rest = (count - 1) % length
    const total = minted + rounds * own.length +
      firstIndex(own.length, (turn) => (own[turn] ?? length) >= rest)
    return {
      length: total,
      at: (index) => {
        if (!within(index, total)) return undefined
        if (index < minted) return at(0)
        const turn = index - minted
        return at(1 + Math.floor(turn / own.length) * length + (own[turn % own.length] ?? 0))
      }
    }
  }

  const flows = (count: number): ReadonlyMap<Address, bigint> => {
    const sums = new Map<Address, bigint>()
    const add = (party: Address, amount: bigint) => sums.set(party, (sums.get(party) ?? 0n) + amount)
    if (count > 0) {
      add(zeroAddress, -supply)
      add(wallet, supply)
      const rounds = Math.floor((count - 1) / length)
      const rest = (count - 1) % length
      moves().forEach(({ amount, from, to }, index) => {
        const times = BigInt(rounds + (index < rest ? 1 : 0))
        const sum = amount.first * times + (amount.step * times * (times - 1n)) / 2n
        add(from, -sum)
        add(to, sum)
      })
    }
    return sums
  }
  return {
    all,
    of,
    balances: (count) => new Map([...flows(count)].filter(([party]) => party !== zeroAddress)),
    supply: (count) => -(flows(count).get(zeroAddress) ?? 0n)
  }
}
