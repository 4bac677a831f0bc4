import { metadataJson, Nft, OwnedNft, SyncStatus } from "@blockquarry/core/model/Nft"
import { contractNfts } from "@blockquarry/core/operations/contractNfts"
import { nftOwners } from "@blockquarry/core/operations/nftOwners"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const least = { token_address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", token_id: "7" }

const owned = [
  "owner_of",
  "token_hash",
  "block_number",
  "block_number_minted",
  "contract_type",
  "token_uri",
  "metadata",
  "normalized_metadata",
  "media",
  "last_token_uri_sync",
  "last_metadata_sync",
  "amount",
  "name",
  "symbol",
  "possible_spam",
  "verified_collection",
  "rarity_rank",
  "rarity_label",
  "rarity_percentage"
]

const all = (names: ReadonlyArray<string>, value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]))

const kinds = [
  ["Nft", Nft, [...owned, "minter_address", "last_sale"]],
  ["OwnedNft", OwnedNft, owned]
] as const

describe.each(kinds)("%s", (_, Model, optional) => {
  it.each([
    ["absent", {}],
    ["undefined", all(optional, undefined)],
    ["null", all(optional, null)]
  ])("has null for everything that is %s", (_, rest) => {
    expect(decode(Model, { ...least, ...rest })).toStrictEqual({
      ...least,
      token_id: 7n,
      ...all(optional, null)
    })
  })

  it.each(["token_address", "token_id"])("needs its %s", (name) => {
    expect(isDecodable(Model, { ...least, [name]: undefined })).toBe(false)
    expect(isDecodable(Model, { ...least, [name]: null })).toBe(false)
    expect(decodeIssues(Model, { ...least, [name]: "rubbish" })).toMatch(new RegExp(`^${name}: expected `))
  })

  it.each([
    ["a contract type of the future", { contract_type: "ERC9999" }],
    ["no contract type", { contract_type: null }],
    ["prose for metadata", { metadata: "not found" }],
    ["an empty text for metadata", { metadata: "" }],
    ["a list for media", { media: [{ url: "https://x.example" }] }],
    ["text for media", { media: "pending" }],
    ["large integers in its own JSON", { normalized_metadata: { big: "12345678901234567890" } }]
  ])("keeps %s", (_, members) => {
    expect(decode(Model, { ...least, ...members })).toMatchObject(members)
  })

  it("takes its numbers as text or as numbers", () => {
    const numbers = {
      block_number: 88256,
      block_number_minted: 88250,
      rarity_rank: 812,
      rarity_percentage: 8.12
    }
    const texts = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]))
    for (const spelled of [numbers, texts]) {
      expect(decode(Model, { ...least, ...spelled, amount: "5" })).toMatchObject({ ...numbers, amount: 5n })
    }
    expect(decode(Model, { ...least, amount: 5 })).toMatchObject({ amount: 5n })
  })

  it("ignores members that newer services send", () => {
    const more = {
      updated_at: 1709618828.123,
      transfer_index: [1, 2, 3],
      list_price: { price: null },
      floor_price: "1.5",
      floor_price_usd: "2500",
      floor_price_currency: "eth"
    }
    expect(decode(Model, { ...least, ...more })).toStrictEqual({
      ...least,
      token_id: 7n,
      ...all(optional, null)
    })
  })
})

describe("an NFT's minter", () => {
  it.each(["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "ERC1155 tokens have no single minter", ""])(
    "is text, kept as it is: %j",
    (minter_address) => {
      expect(decode(Nft, { ...least, minter_address })).toMatchObject({ minter_address })
      expect(decode(OwnedNft, { ...least, minter_address })).not.toHaveProperty("minter_address")
    }
  )
})

describe("an NFT's last sale", () => {
  it("may be empty", () => {
    expect(decode(Nft, { ...least, last_sale: {} }).last_sale).toStrictEqual({
      transaction_hash: null,
      block_timestamp: null,
      buyer_address: null,
      seller_address: null,
      price: null,
      price_formatted: null,
      usd_price_at_sale: null,
      current_usd_value: null,
      token_id: null,
      payment_token: null
    })
  })

  it("keeps prices exactly", () => {
    const last_sale = {
      price: "250000000000000000001",
      price_formatted: "250.000000000000000001",
      usd_price_at_sale: "473110.0000000000000000001",
      current_usd_value: "811002.5",
      token_id: "7"
    }
    expect(encode(Nft, decode(Nft, { ...least, last_sale })).last_sale).toMatchObject(last_sale)
  })

  it("reads a payment token with members missing", () => {
    const last_sale = { payment_token: { token_symbol: "ETH", token_decimals: "18" } }
    expect(decode(Nft, { ...least, last_sale }).last_sale?.payment_token).toStrictEqual({
      token_name: null,
      token_symbol: "ETH",
      token_logo: null,
      token_decimals: 18,
      token_address: null
    })
  })
})

describe("an envelope's status", () => {
  it.each([
    ["SYNCING", { status: "SYNCING" }],
    ["SYNCED", { status: "SYNCED" }],
    ["a status of the future", { status: "a status of the future" }],
    [null, { status: null }],
    [null, {}]
  ])("is %s", (status, members) => {
    for (const { output } of [contractNfts, nftOwners]) {
      expect(decode(output, { result: [least], total: null, ...members })).toMatchObject({
        status,
        total: null
      })
    }
  })

  it("is refused when it is no text", () => {
    for (const status of [{}, 1, true]) expect(isDecodable(SyncStatus, status)).toBe(false)
  })
})

describe("metadataJson", () => {
  it.each([
    ["JSON", "{\"name\":\"Slate\"}", { name: "Slate" }],
    ["JSON encoded twice", JSON.stringify("{\"name\":\"Slate\"}"), { name: "Slate" }],
    ["a list", "[1,2]", [1, 2]],
    ["a number", "7", 7],
    ["a large integer", "{\"edition\":12345678901234567890}", { edition: "12345678901234567890" }],
    ["a byte order mark before JSON", "\ufeff{\"a\":1}", { a: 1 }],
    ["the text null", "null", null],
    ["null", null, null],
    ["an empty text", "", null],
    ["prose", "Metadata not found", null],
    ["prose in JSON", "\"Metadata not found\"", null],
    ["JSON that is cut off", "{\"name\":\"Sla", null]
  ])("of %s", (_, metadata, json) => {
    expect(metadataJson({ metadata })).toEqual(json)
  })

  it("reads what was encoded once or twice", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue()), (value) => {
        const once = JSON.stringify(value)
        const expected: unknown = metadataJson({ metadata: once })
        expect(JSON.stringify(expected).length).toBeGreaterThan(1)
        expect(metadataJson({ metadata: JSON.stringify(once) })).toEqual(expected)
      }),
      { numRuns: 100 }
    )
  })
})
