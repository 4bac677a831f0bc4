/** Charts of records that the sandbox does not have. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as TokenOwner from "@blockquarry/core/model/TokenOwner"
import * as WalletChains from "@blockquarry/core/model/WalletChains"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as fc from "effect/FastCheck"
import { walletTransfersChart } from "../../src/chart/ActivityChart.ts"
import { chainsChart } from "../../src/chart/ChainsChart.ts"
import { holdersChart } from "../../src/chart/HoldersChart.ts"

const token = "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"
const noAlias = () => null

describe("holders", () => {
  const draw = (
    holders: ReadonlyArray<TokenOwner.TokenOwner>,
    largest: number | null = null,
    aliasOf = noAlias
  ) => {
    const builder = holdersChart(token, aliasOf, largest)
    for (const holder of holders) builder.add([holder])
    return builder.chart()
  }

  it("are the largest of all, in any order of arrival", () => {
    fc.assert(fc.property(
      fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 60 }),
      (balances, largest) => {
        const total = balances.reduce((sum, balance) => sum + balance, 1n)
        const chart = draw(
          balances.map((balance) =>
            TokenOwner.example({
              balance,
              percentage_relative_to_total_supply: BigDecimal.unsafeDivide(
                BigDecimal.make(balance * 100n, 0),
                BigDecimal.make(total, 0)
              )
            })
          ),
          largest
        )
        const lengths = chart.panels.flat().flatMap(({ bars }) => bars.map(({ range }) => range?.end ?? 0))
        expect(lengths).toHaveLength(Math.min(balances.length, largest, 50))
        expect(lengths).toEqual([...lengths].sort((a, b) => b - a))
      }
    ))
  })

  it("are compared by balance if the service returns no shares", () => {
    const withoutShare = { percentage_relative_to_total_supply: null }
    const chart = draw([
      TokenOwner.example({ ...withoutShare, balance: 10n, balance_formatted: null }),
      TokenOwner.example({ ...withoutShare, balance: 40n, balance_formatted: BigDecimal.make(4n, 0) }),
      TokenOwner.example({ ...withoutShare, balance: null, balance_formatted: null })
    ])
    expect(chart.panels).toEqual([[{
      name: "balance",
      bars: [
        { range: { start: 0, end: 1 }, text: "4" },
        { range: { start: 0, end: 0.25 }, text: "10 (raw)" },
        { range: null, text: "unknown" }
      ]
    }]])
    expect(chart.notes).toEqual(["3 holders."])
  })

  it("have the names of the address book", () => {
    const holder = TokenOwner.example({ owner_address_label: "Northwind" })
    const aliasOf = (address: string) =>
      address === holder.owner_address ? "treasury" : address === token ? "coin" : null
    const builder = holdersChart(token, aliasOf, null)
    builder.add([holder])
    expect(builder.chart().labels).toEqual(["0xa1a1…a1a1 treasury"])
    expect(builder.chart().title).toBe("Largest holders of the token coin (0xf124…7993)")
  })
})

describe("transfers", () => {
  const transfer = Erc20Transfer.example({ value: 5n, token_decimals: 0 })
  const draw = (transfers: ReadonlyArray<Erc20Transfer.Erc20Transfer>) => {
    const builder = walletTransfersChart(transfer.from_address ?? "", noAlias)
    builder.add(transfers)
    return builder.chart()
  }
  const names = (transfers: ReadonlyArray<Erc20Transfer.Erc20Transfer>) =>
    draw(transfers).panels.flat().map(({ name }) => name)

  it("have amounts only if all are of one token", () => {
    const other = Erc20Transfer.example({ token_decimals: 1 })
    expect(names([transfer, transfer])).toEqual(["in", "out", "QUSD in", "QUSD out"])
    expect(names([transfer, other])).toEqual(["in", "out"])
    expect(names([transfer, { ...transfer, value: null }])).toEqual(["in", "out"])
    expect(names([])).toEqual(["in", "out"])
  })

  it("of a token whose decimals are unknown have raw amounts", () => {
    const chart = draw([{ ...transfer, token_decimals: null, value: 2n ** 256n }])
    expect(chart.notes[1]).toBe(`Total: 0 QUSD (raw) in, ${2n ** 256n} QUSD (raw) out.`)
  })
})

describe("chains", () => {
  const at = (time: string) => ({
    block_number: 1,
    block_timestamp: DateTime.unsafeMake(time),
    transaction_hash: null
  })
  const chain = (first: string | null, last: string | null) => ({
    chain: "eth" as const,
    chain_id: "0x1",
    first_transaction: first === null ? null : at(first),
    last_transaction: last === null ? null : at(last)
  })
  const bars = (...active_chains: ReadonlyArray<ReturnType<typeof chain>>) =>
    chainsChart(WalletChains.example({ active_chains }), noAlias).panels[0]?.[0]?.bars.map(({ range }) =>
      range
    )

  it("with one transaction, or one known time, are visible", () => {
    expect(bars(chain("2024-01-01", "2024-01-01"))).toEqual([{ start: 0, end: 0 }])
    expect(bars(chain("2024-01-01", null), chain(null, "2024-01-03"))).toEqual([
      { start: 0, end: 0 },
      { start: 1, end: 1 }
    ])
  })
})
