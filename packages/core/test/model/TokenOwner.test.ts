import { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import { describe, expect, it } from "@effect/vitest"
import { decode, encode, isDecodable } from "../support/schema.ts"

const least = { owner_address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" }

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
    "has null for everything that is %s",
    (_, rest) => {
      expect(decode(TokenOwner, { ...least, ...rest })).toStrictEqual({ ...least, ...all(null) })
    }
  )

  it.each([undefined, null, "0x1", ""])("needs an address, not %j", (owner_address) => {
    expect(isDecodable(TokenOwner, { owner_address })).toBe(false)
  })

  it.each([[true, true], ["true", true], [1, true], [false, false], ["false", false], [0, false]])(
    "reads whether it is a contract from %j",
    (is_contract, value) => {
      expect(decode(TokenOwner, { ...least, is_contract }).is_contract).toBe(value)
    }
  )

  it.each([
    [12.5, "12.5"],
    ["12.5", "12.5"],
    [1e-18, "0.000000000000000001"],
    [0, "0"],
    [100, "100"],
    ["33.333333333333333333333333333333", "33.333333333333333333333333333333"]
  ])("keeps the percentage %s exactly", (percentage_relative_to_total_supply, plain) => {
    const holder = decode(TokenOwner, { ...least, percentage_relative_to_total_supply })
    expect(encode(TokenOwner, holder).percentage_relative_to_total_supply).toBe(plain)
  })

  it("keeps balances exactly, whole and formatted", () => {
    const exact = {
      balance: "56813450000000000000000001",
      balance_formatted: "56813450.000000000000000001",
      usd_value: "99999999999999999999.99"
    }
    expect(encode(TokenOwner, decode(TokenOwner, { ...least, ...exact }))).toMatchObject(exact)
  })

  it("ignores members that newer services send", () => {
    const more = { total_supply: "1", entity: "Stone Exchange", entity_logo: null }
    expect(decode(TokenOwner, { ...least, ...more })).toStrictEqual({ ...least, ...all(null) })
  })
})
