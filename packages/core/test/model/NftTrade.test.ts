import { NftTrade } from "@blockquarry/core/model/NftTrade"
import { describe, expect, it } from "@effect/vitest"
import { decode, encode, isDecodable } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`
const minimal = { transaction_hash: hash, block_number: 5 }

const optional = [
  "transaction_index",
  "token_ids",
  "seller_address",
  "buyer_address",
  "token_address",
  "marketplace_address",
  "price_token_address",
  "price",
  "block_timestamp",
  "block_hash"
]

const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))

describe("a trade", () => {
  it.each([["absent", {}], ["undefined", all(undefined)], ["null", all(null)]])(
    "decodes fields that are %s to null",
    (_, rest) => {
      expect(decode(NftTrade, { ...minimal, ...rest })).toStrictEqual({ ...minimal, ...all(null) })
    }
  )

  it.each(["transaction_hash", "block_number"])("requires %s", (name) => {
    expect(isDecodable(NftTrade, { ...minimal, [name]: undefined })).toBe(false)
    expect(isDecodable(NftTrade, { ...minimal, [name]: null })).toBe(false)
  })

  it.each([
    ["2022-09-15T06:42:42", "2022-09-15T06:42:42.000Z"],
    ["2022-09-15T06:42:42.000Z", "2022-09-15T06:42:42.000Z"]
  ])("decodes the timestamp %s to %s", (block_timestamp, instant) => {
    expect(encode(NftTrade, decode(NftTrade, { ...minimal, block_timestamp })).block_timestamp).toBe(instant)
  })

  it("decodes every token ID with all digits, including duplicates", () => {
    const largest = (2n ** 256n - 1n).toString()
    const trade = decode(NftTrade, { ...minimal, token_ids: ["7", "7", largest, 9, "0x0a"] })
    expect(trade.token_ids).toEqual([7n, 7n, 2n ** 256n - 1n, 9n, 10n])
    expect(encode(NftTrade, trade).token_ids).toEqual(["7", "7", largest, "9", "10"])
  })

  it("decodes numbers from strings and numbers", () => {
    const numbers = { block_number: 15537393, transaction_index: 123 }
    const strings = { block_number: "15537393", transaction_index: "123" }
    expect(decode(NftTrade, { ...minimal, ...strings, price: "12000000000000000000" })).toMatchObject({
      ...numbers,
      price: 12000000000000000000n
    })
    expect(decode(NftTrade, { ...minimal, ...numbers, price: 12 })).toMatchObject({ ...numbers, price: 12n })
  })
})
