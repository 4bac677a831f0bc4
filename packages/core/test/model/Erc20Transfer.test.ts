import { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`
const minimal = { transaction_hash: hash, block_number: 5 }

/** The optional fields of the specification, and `verified_contract`, which some upstreams return. */
const optional = [
  "token_name",
  "token_symbol",
  "token_logo",
  "token_decimals",
  "address",
  "block_timestamp",
  "block_hash",
  "to_address",
  "to_address_entity",
  "to_address_entity_logo",
  "to_address_label",
  "from_address",
  "from_address_entity",
  "from_address_entity_logo",
  "from_address_label",
  "value",
  "transaction_index",
  "log_index",
  "possible_spam",
  "verified_collection",
  "verified_contract"
]

const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))

describe("a transfer", () => {
  it.each([["absent", {}], ["undefined", all(undefined)], ["null", all(null)]])(
    "decodes fields that are %s to null",
    (_, rest) => {
      expect(decode(Erc20Transfer, { ...minimal, ...rest })).toStrictEqual({ ...minimal, ...all(null) })
    }
  )

  it("encodes missing fields as null", () => {
    expect(encode(Erc20Transfer, decode(Erc20Transfer, minimal))).toStrictEqual({ ...minimal, ...all(null) })
  })

  it.each(["transaction_hash", "block_number"])("requires %s", (name) => {
    expect(isDecodable(Erc20Transfer, { ...minimal, [name]: undefined })).toBe(false)
    expect(isDecodable(Erc20Transfer, { ...minimal, [name]: null })).toBe(false)
    expect(decodeIssues(Erc20Transfer, { ...minimal, [name]: "invalid" })).toMatch(
      new RegExp(`^${name}: expected `)
    )
  })

  it("decodes numbers from strings and booleans from every format", () => {
    const transfer = decode(Erc20Transfer, {
      transaction_hash: hash.toUpperCase(),
      block_number: "19366012",
      value: "5000000000000000000000",
      token_decimals: 18,
      transaction_index: "0",
      log_index: "301",
      possible_spam: "False",
      verified_collection: 1,
      verified_contract: "true"
    })
    expect(transfer).toMatchObject({
      transaction_hash: hash,
      block_number: 19366012,
      value: 5000000000000000000000n,
      token_decimals: 18,
      transaction_index: 0,
      log_index: 301,
      possible_spam: false,
      verified_collection: true,
      verified_contract: true
    })
  })

  it("decodes verified_contract without verified_collection", () => {
    const transfer = decode(Erc20Transfer, { ...minimal, verified_contract: false })
    expect(transfer).toMatchObject({ verified_collection: null, verified_contract: false })
  })

  it("ignores unknown fields", () => {
    const transfer = decode(Erc20Transfer, { ...minimal, value_decimal: "1.5", security_score: 88 })
    expect(transfer).toStrictEqual({ ...minimal, ...all(null) })
  })

  it.each([
    ["value", 1.5],
    ["value", 2 ** 53],
    ["value", "-1"],
    ["address", "0x0"],
    ["block_timestamp", "yesterday"],
    ["block_timestamp", 1704164645],
    ["log_index", -1],
    ["possible_spam", "maybe"],
    ["token_name", 5]
  ])("rejects %s with the value %j and names the field", (name, value) => {
    expect(decodeIssues(Erc20Transfer, { ...minimal, [name]: value })).toMatch(new RegExp(`^${name}: `, "m"))
  })
})
