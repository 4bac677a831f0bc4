import { NftTrade } from "@blockquarry/core/model/NftTrade"
import { describe, expect, it } from "@effect/vitest"
import { decode, encode, isDecodable } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`
const least = { transaction_hash: hash, block_number: 5 }

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
    "has null for everything that is %s",
    (_, rest) => {
      expect(decode(NftTrade, { ...least, ...rest })).toStrictEqual({ ...least, ...all(null) })
    }
  )

  it.each(["transaction_hash", "block_number"])("needs its %s", (name) => {
    expect(isDecodable(NftTrade, { ...least, [name]: undefined })).toBe(false)
    expect(isDecodable(NftTrade, { ...least, [name]: null })).toBe(false)
  })

  it.each([
    ["2022-09-15T06:42:42", "2022-09-15T06:42:42.000Z"],
    ["2022-09-15T06:42:42.000Z", "2022-09-15T06:42:42.000Z"]
  ])("reads the time %s as %s", (block_timestamp, instant) => {
    expect(encode(NftTrade, decode(NftTrade, { ...least, block_timestamp })).block_timestamp).toBe(instant)
  })

  it("keeps every token id, a repeated one too, with all its digits", () => {
    const largest = (2n ** 256n - 1n).toString()
    const trade = decode(NftTrade, { ...least, token_ids: ["7", "7", largest, 9, "0x0a"] })
    expect(trade.token_ids).toEqual([7n, 7n, 2n ** 256n - 1n, 9n, 10n])
    expect(encode(NftTrade, trade).token_ids).toEqual(["7", "7", largest, "9", "10"])
  })

  it("takes its numbers as text or as numbers", () => {
    const numbers = { block_number: 15537393, transaction_index: 123 }
    const texts = { block_number: "15537393", transaction_index: "123" }
    expect(decode(NftTrade, { ...least, ...texts, price: "12000000000000000000" })).toMatchObject({
      ...numbers,
      price: 12000000000000000000n
    })
    expect(decode(NftTrade, { ...least, ...numbers, price: 12 })).toMatchObject({ ...numbers, price: 12n })
  })
})
