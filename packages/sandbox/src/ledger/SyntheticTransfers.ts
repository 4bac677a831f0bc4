/**
 * The transfers of the busy token: any number, each computed on access.
 *
 * Transfer 0 mints the supply to the busy wallet. The others are pairs: a transfer to a counterparty, and a transfer from
 * the counterparty of the previous pair, of at most the amount that it received. Counterparties, amounts and order repeat
 * every `pairsPerRound` pairs; in each round the amounts increase by a fixed step. A table of one round and the number of
 * rounds therefore determine every transfer, the transfers of every wallet, and every balance.
 */
import type { Address } from "@blockquarry/core/Address"
import { firstIndex } from "../internal/search.ts"
import { groupByParticipant } from "./Aggregates.ts"
import type { BlockLayout, TransferPosition } from "./BlockLayout.ts"
import { zeroAddress } from "./Identifiers.ts"
import { lazy } from "./Lazy.ts"
import type { Sequence, TokenTransfer } from "./Model.ts"
import { makeRandom } from "./Random.ts"
import { isValidIndex } from "./Sequences.ts"

const pairsPerRound = 512

/** Sufficient for any number of rounds in practice, with 18 decimals. */
const supply = 10n ** 33n

/** An amount in the first round, and its increase per round. */
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

export interface SyntheticTransfers {
  /** The first `count` transfers. */
  readonly all: (count: number) => Sequence<TokenTransfer>
  /** The transfers from or to a wallet. */
  readonly ofWallet: (wallet: Address, count: number) => Sequence<TokenTransfer>
  /** Balances after `count` transfers. */
  readonly balances: (count: number) => ReadonlyMap<Address, bigint>
  readonly supply: (count: number) => bigint
}

/** Creates the transfers of a round. */
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
    // The first pair has no previous counterparty, so the round starts with a mint
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

/** Creates the transfers between the busy wallet and its counterparties, at the positions of `layout`. */
export const syntheticTransfers = (options: {
  readonly seed: string
  readonly token: Address
  readonly wallet: Address
  readonly counterparties: ReadonlyArray<Address>
  readonly layout: BlockLayout
}): SyntheticTransfers => {
  const { layout, token, wallet } = options
  const patterns = lazy(() =>
    makeRound(options.seed, wallet, options.counterparties.filter((counterparty) => counterparty !== wallet))
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
    if (index === 0) return transfer(layout.at(0), zeroAddress, wallet, supply)
    const pattern = patterns()[(index - 1) % length]
    if (pattern === undefined) return undefined
    const { first, step } = pattern.amount
    const value = first + step * BigInt(Math.floor((index - 1) / length))
    return transfer(layout.at(index), pattern.from, pattern.to, value)
  }
  const all = (count: number): Sequence<TokenTransfer> => ({
    length: count,
    at: (index) => (isValidIndex(index, count) ? at(index) : undefined)
  })

  /** The indexes in a round of the transfers of each wallet. */
  const indexesByWallet = lazy(() => {
    const indexed = patterns().map((pattern, index) => ({ ...pattern, index }))
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
