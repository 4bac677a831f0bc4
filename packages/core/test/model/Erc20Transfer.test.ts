import { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`
const least = { transaction_hash: hash, block_number: 5 }

/** The members of the specification that may be missing, and one from the field. */
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
    "has null for everything that is %s",
    (_, rest) => {
      expect(decode(Erc20Transfer, { ...least, ...rest })).toStrictEqual({ ...least, ...all(null) })
    }
  )

  it("is written with null for what is missing", () => {
    expect(encode(Erc20Transfer, decode(Erc20Transfer, least))).toStrictEqual({ ...least, ...all(null) })
  })

  it.each(["transaction_hash", "block_number"])("needs its %s", (name) => {
    expect(isDecodable(Erc20Transfer, { ...least, [name]: undefined })).toBe(false)
    expect(isDecodable(Erc20Transfer, { ...least, [name]: null })).toBe(false)
    expect(decodeIssues(Erc20Transfer, { ...least, [name]: "rubbish" })).toMatch(
      new RegExp(`^${name}: expected `)
    )
  })

  it("takes its numbers as text and its flags in every spelling", () => {
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

  it("takes the contract's flag instead of the collection's", () => {
    const transfer = decode(Erc20Transfer, { ...least, verified_contract: false })
    expect(transfer).toMatchObject({ verified_collection: null, verified_contract: false })
  })

  it("ignores members that newer services send", () => {
    const transfer = decode(Erc20Transfer, { ...least, value_decimal: "1.5", security_score: 88 })
    expect(transfer).toStrictEqual({ ...least, ...all(null) })
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
  ])("is refused when its %s is %j, and says where", (name, value) => {
    expect(decodeIssues(Erc20Transfer, { ...least, [name]: value })).toMatch(new RegExp(`^${name}: `, "m"))
  })
})
