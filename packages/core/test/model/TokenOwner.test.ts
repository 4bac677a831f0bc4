import { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import { describe, expect, it } from "@effect/vitest"
import { decode, encode, isDecodable } from "../support/schema.ts"

const minimal = { owner_address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" }

const optional = [
  "owner_address_label",
  "balance",
  "balance_formatted",
  "usd_value",
  "is_contract",
  "percentage_relative_to_total_supply"
]

const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))

describe("a holder", () => {
  it.each([["absent", {}], ["undefined", all(undefined)], ["null", all(null)]])(
    "decodes fields that are %s to null",
    (_, rest) => {
      expect(decode(TokenOwner, { ...minimal, ...rest })).toStrictEqual({ ...minimal, ...all(null) })
    }
  )

  it.each([undefined, null, "0x1", ""])("requires an address, not %j", (owner_address) => {
    expect(isDecodable(TokenOwner, { owner_address })).toBe(false)
  })

  it.each([[true, true], ["true", true], [1, true], [false, false], ["false", false], [0, false]])(
    "decodes is_contract from %j",
    (is_contract, value) => {
      expect(decode(TokenOwner, { ...minimal, is_contract }).is_contract).toBe(value)
    }
  )

  it.each([
    [12.5, "12.5"],
    ["12.5", "12.5"],
    [1e-18, "0.000000000000000001"],
    [0, "0"],
    [100, "100"],
    ["33.333333333333333333333333333333", "33.333333333333333333333333333333"]
  ])("decodes the percentage %s exactly", (percentage_relative_to_total_supply, plain) => {
    const holder = decode(TokenOwner, { ...minimal, percentage_relative_to_total_supply })
    expect(encode(TokenOwner, holder).percentage_relative_to_total_supply).toBe(plain)
  })

  it("decodes balances exactly, in smallest units and in whole tokens", () => {
    const exact = {
      balance: "56813450000000000000000001",
      balance_formatted: "56813450.000000000000000001",
      usd_value: "99999999999999999999.99"
    }
    expect(encode(TokenOwner, decode(TokenOwner, { ...minimal, ...exact }))).toMatchObject(exact)
  })

  it("ignores unknown fields", () => {
    const more = { total_supply: "1", entity: "Stone Exchange", entity_logo: null }
    expect(decode(TokenOwner, { ...minimal, ...more })).toStrictEqual({ ...minimal, ...all(null) })
  })
})
