/** Inputs that are no plain objects of canonical values. `golden/records/invalidInputs.json` has the messages about invalid ones. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { OpenEnum } from "@blockquarry/core/OpenEnum"
import type { AnyOperation } from "@blockquarry/core/Operation"
import {
  type ledgerTransaction,
  type nftOwners,
  tokenOwners,
  tokenTransfers,
  walletChains,
  walletNftTrades,
  walletTransfers
} from "@blockquarry/core/Operations"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"
import { decodedInput, inputIssues } from "./support/operationInputs.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const other = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"
const january = DateTime.unsafeMake("2024-01-01T00:00:00Z")
const february = DateTime.unsafeMake("2024-02-01T00:00:00Z")

describe("an input", () => {
  it.each([
    ["absent", {}],
    ["undefined", {
      chain: undefined,
      from_block: undefined,
      contract_addresses: undefined,
      limt: undefined
    }],
    ["an empty string", { chain: "", limit: "", order: "", cursor: "", from_block: "", to_date: "" }],
    ["an empty array", { contract_addresses: [] }],
    ["an array of empty strings", { contract_addresses: ["", ""] }]
  ])("has no optional parameter that is %s", (_, parameters) => {
    expect(decodedInput(walletTransfers, { address, ...parameters })).toStrictEqual({ address })
  })

  it("is rejected if it has unknown parameters, even if another one is missing", () => {
    const unknown = JSON.parse(`{"addres":"${address}","limit":3,"__proto__":{"limit":7},"constructor":"x"}`)
    const reason = expect.stringContaining("unknown parameter; expected one of address, chain, ")
    expect(inputIssues(walletTransfers, unknown)).toEqual([
      ["address", "is missing"],
      ...["addres", "__proto__", "constructor"].map((name) => [name, reason])
    ])
  })

  it("has no inherited members", () => {
    const inherited = Object.assign(Object.create({ limit: 7 }), { address })
    expect(decodedInput(walletTransfers, inherited)).toStrictEqual({ address })
    expect(inputIssues(walletTransfers, Object.create({ address }))).toEqual([["address", "is missing"]])
  })

  it("does not change", () => {
    const encoded = { address, chain: "", limit: undefined, from_block: 1, from_date: "2024-01-01" }
    const copy = { ...encoded }
    expect(decodedInput(walletTransfers, encoded)).toStrictEqual({ address, from_block: 1 })
    expect(encoded).toStrictEqual(copy)
  })

  it.each(["ASC", "asc", "Asc"])("has the order %s in any case, and a limit from digits", (order) => {
    expect(decodedInput(tokenOwners, { token_address: address, order, limit: "100" }))
      .toStrictEqual({ token_address: address, order: "ASC", limit: 100 })
  })
})

describe("a parameter with several values", () => {
  it.each([
    ["an array", [address, other]],
    ["an array in upper case", [address.toUpperCase(), other.toUpperCase()]],
    ["a comma-separated string", `${address},${other}`],
    ["a string with superfluous commas", `,${address},,${other},`],
    ["an array of comma-separated strings", [`${address},${other}`]],
    ["an array with empty strings", ["", address, "", other]]
  ])("is decoded from %s", (_, contract_addresses) => {
    expect(decodedInput(walletTransfers, { address, contract_addresses }))
      .toStrictEqual({ address, contract_addresses: [address, other] })
  })

  it("keeps the order and duplicates, and may be a single value", () => {
    expect(decodedInput(walletChains, { address, chains: ["base", "0x1", "BASE"] }))
      .toStrictEqual({ address, chains: ["base", "eth", "base"] })
    expect(decodedInput(walletChains, { address, chains: "0x1" })).toStrictEqual({ address, chains: ["eth"] })
  })
})

describe("a range", () => {
  it.each([
    ["two blocks", { from_block: 1, to_block: "2" }, { from_block: 1, to_block: 2 }],
    ["the first block twice", { from_block: 0, to_block: 0 }, { from_block: 0, to_block: 0 }],
    ["two dates", { from_date: "2024-01-01", to_date: "Feb 1 2024" }, {
      from_date: january,
      to_date: february
    }],
    ["the same date twice", { from_date: "2024-01-01", to_date: january }, {
      from_date: january,
      to_date: january
    }],
    ["a date and a block", { from_date: "2024-02-01", to_block: 5 }, { from_date: february, to_block: 5 }],
    ["a lower bound", { from_date: "2024-01-01" }, { from_date: january }],
    ["a block and an invalid date", { from_block: 5, from_date: "invalid" }, { from_block: 5 }],
    ["a block and an object", { to_block: "5", to_date: {} }, { to_block: 5 }],
    [
      "blocks and dates in the wrong order",
      { from_block: 1, from_date: "2024-02-01", to_block: 2, to_date: "2024-01-01" },
      { from_block: 1, to_block: 2 }
    ],
    ["an empty block and a date", { from_block: "", from_date: "2024-01-01" }, { from_date: january }]
  ])("is decoded from %s", (_, bounds, canonical) => {
    expect(decodedInput(tokenTransfers, { address, ...bounds })).toStrictEqual({ address, ...canonical })
  })

  it.each([1704067200, "1704067200"])("accepts the epoch seconds %j for trades only", (from_date) => {
    expect(decodedInput(walletNftTrades, { address, from_date })).toStrictEqual({
      address,
      from_date: january
    })
    const transfers: ReadonlyArray<AnyOperation> = [walletTransfers, tokenTransfers]
    for (const operation of transfers) {
      expect(inputIssues(operation, { address, from_date }).map(([name]) => name)).toEqual(["from_date"])
    }
  })
})

type InputType<O extends { readonly input: Schema.Schema.AnyNoContext }> = Schema.Schema.Type<O["input"]>

it("a decoded input has canonical values", () => {
  type Transfers = InputType<typeof walletTransfers>
  expectTypeOf<Transfers["address"]>().toEqualTypeOf<Address>()
  expectTypeOf<Transfers["chain"]>().toEqualTypeOf<OpenEnum<ChainName> | undefined>()
  expectTypeOf<Transfers["contract_addresses"]>().toEqualTypeOf<
    readonly [Address, ...Array<Address>] | undefined
  >()
  expectTypeOf<Transfers["from_block"]>().toEqualTypeOf<number | undefined>()
  expectTypeOf<Transfers["from_date"]>().toEqualTypeOf<DateTime.Utc | undefined>()
  expectTypeOf<InputType<typeof nftOwners>["token_id"]>().toEqualTypeOf<bigint>()
  expectTypeOf<InputType<typeof ledgerTransaction>["txn_hash"]>().toEqualTypeOf<Hash>()
})
