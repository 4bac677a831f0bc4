import { WalletChains } from "@blockquarry/core/model/WalletChains"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, isDecodable } from "../support/schema.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"ab".repeat(32)}`
const emptyChain = { chain: null, chain_id: null, first_transaction: null, last_transaction: null }

describe("the activity of a wallet", () => {
  it("may be empty", () => {
    expect(decode(WalletChains, { address, active_chains: [] })).toStrictEqual({ address, active_chains: [] })
  })

  it.each([
    ["address", { active_chains: [] }],
    ["address", { address: null, active_chains: [] }],
    ["active_chains", { address }],
    ["active_chains", { address, active_chains: null }]
  ])("requires %s: %j", (name, document) => {
    expect(isDecodable(WalletChains, document)).toBe(false)
    expect(decodeIssues(WalletChains, document)).toContain(name)
  })

  it.each([
    ["absent", {}],
    ["undefined", { chain: undefined, first_transaction: undefined }],
    ["null", emptyChain]
  ])("decodes fields of a chain that are %s to null", (_, chain) => {
    expect(decode(WalletChains, { address, active_chains: [chain] }).active_chains).toStrictEqual([
      emptyChain
    ])
  })

  it("has a null first and last transaction on a chain without activity", () => {
    const chain = { chain: "bsc", chain_id: "0x38", first_transaction: null, last_transaction: null }
    expect(decode(WalletChains, { address, active_chains: [chain] }).active_chains).toStrictEqual([chain])
  })

  it("decodes unknown chains", () => {
    const chain = { ...emptyChain, chain: "an unknown chain", chain_id: "0x8274f" }
    expect(decode(WalletChains, { address, active_chains: [chain] }).active_chains).toStrictEqual([chain])
  })

  it("decodes transactions with numbers as strings and missing fields", () => {
    const first_transaction = { block_number: "46147", transaction_hash: hash.toUpperCase() }
    const [chain] = decode(WalletChains, { address, active_chains: [{ first_transaction }] }).active_chains
    expect(chain?.first_transaction).toStrictEqual({
      block_number: 46147,
      block_timestamp: null,
      transaction_hash: hash
    })
  })
})
