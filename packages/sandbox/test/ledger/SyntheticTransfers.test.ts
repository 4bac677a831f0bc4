/** The busy token: the closed form gives the same results as a pass over all transfers. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { isFull } from "../../../core/test/support/sample.ts"
import { make } from "../../src/Ledger.ts"
import * as Aggregates from "../../src/ledger/Aggregates.ts"
import { comparableText, toArray } from "./consistency.ts"

const eth = (scale: number, seed = 1) => {
  const ledger = make({ scale, seed })
  const chain = ledger.chains.get("eth")
  if (chain === undefined) throw new Error("no eth")
  return { chain, ...ledger.examples, wallets: [...ledger.wallets.keys()] }
}

// Includes the boundaries of rounds, which have 1024 transfers each after the first transfer
const scale = FastCheck.oneof(
  FastCheck.nat(5000),
  FastCheck.constantFrom(0, 1, 2, 1024, 1025, 1026, 2048, 2049, 2050)
)

describe("the closed form", () => {
  it.prop("agrees with a pass over the transfers", [scale, FastCheck.integer()], ([scale, seed]) => {
    const { busyToken, chain } = eth(scale, seed)
    const transfers = toArray(chain.tokenTransfers(busyToken))
    expect(transfers.length).toBe(scale)
    expect(comparableText(chain.holders(busyToken))).toBe(
      comparableText(Aggregates.holders(Aggregates.balances(transfers)))
    )
    expect(chain.totalSupply(busyToken)).toBe(Aggregates.totalSupply(transfers))
  })

  it.prop("returns the transfers of a wallet", [scale], ([scale]) => {
    const { busyToken, chain, wallets } = eth(scale)
    const byWallet = Aggregates.groupBy(toArray(chain.tokenTransfers(busyToken)), "from", "to")
    for (const wallet of wallets.filter((_, index) => index % 7 === 0)) {
      const own = toArray(chain.walletTransfers(wallet)).filter(({ token }) => token === busyToken)
      expect(comparableText(own)).toBe(comparableText(byWallet.get(wallet) ?? []))
    }
  }, isFull ? {} : { fastCheck: { numRuns: 5 } })
})

describe("a million transfers", () => {
  const million = 1_000_000

  it("are ordered and accessible at any index", () => {
    const { busyToken, busyWallet, chain } = eth(million)
    for (const sequence of [chain.tokenTransfers(busyToken), chain.walletTransfers(busyWallet)]) {
      expect(sequence.length).toBeGreaterThanOrEqual(million)
      for (let index = 0; index + 1 < sequence.length; index += 97) {
        const current = sequence.at(index)
        const next = sequence.at(index + 1)
        if (current === undefined || next === undefined) throw new Error(`nothing at ${index}`)
        const isBefore = current.block < next.block ||
          (current.block === next.block && current.logIndex < next.logIndex)
        if (!isBefore) expect.fail(`${index} is not before the next`)
      }
      expect(sequence.at(sequence.length - 1)?.block).toBe(chain.head)
      expect([-1, 0.5, sequence.length, Number.NaN].map(sequence.at)).toEqual([
        undefined,
        undefined,
        undefined,
        undefined
      ])
    }
  })

  it("have consistent balances at every head", () => {
    const { busyToken, chain } = eth(million)
    for (const view of [chain, chain.withNewBlocks(1), chain.withNewBlocks(1000)]) {
      const holders = view.holders(busyToken)
      expect(holders.reduce((sum, { balance }) => sum + balance, 0n)).toBe(view.totalSupply(busyToken))
    }
  })
})
