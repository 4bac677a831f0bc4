import { metadataJson, Nft } from "@blockquarry/core/model/Nft"
import { OwnedNft } from "@blockquarry/core/model/OwnedNft"
import { contractNfts } from "@blockquarry/core/operations/contractNfts"
import { nftOwners } from "@blockquarry/core/operations/nftOwners"
import { SyncStatus } from "@blockquarry/core/Page"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const minimal = { token_address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", token_id: "7" }

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

const models = [
  ["Nft", Nft, [...owned, "minter_address", "last_sale"]],
  ["OwnedNft", OwnedNft, owned]
] as const

describe.each(models)("%s", (_, Model, optional) => {
  it.each([
    ["absent", {}],
    ["undefined", all(optional, undefined)],
    ["null", all(optional, null)]
  ])("decodes fields that are %s to null", (_, rest) => {
    expect(decode(Model, { ...minimal, ...rest })).toStrictEqual({
      ...minimal,
      token_id: 7n,
      ...all(optional, null)
    })
  })

  it.each(["token_address", "token_id"])("requires %s", (name) => {
    expect(isDecodable(Model, { ...minimal, [name]: undefined })).toBe(false)
    expect(isDecodable(Model, { ...minimal, [name]: null })).toBe(false)
    expect(decodeIssues(Model, { ...minimal, [name]: "invalid" })).toMatch(new RegExp(`^${name}: expected `))
  })

  it.each([
    ["an unknown contract type", { contract_type: "ERC9999" }],
    ["no contract type", { contract_type: null }],
    ["plain text as metadata", { metadata: "not found" }],
    ["an array as media", { media: [{ url: "https://x.example" }] }],
    ["a string as media", { media: "pending" }],
    ["large integers in normalized metadata", { normalized_metadata: { big: "12345678901234567890" } }]
  ])("decodes %s unchanged", (_, members) => {
    expect(decode(Model, { ...minimal, ...members })).toMatchObject(members)
  })

  it("decodes numbers from strings and numbers", () => {
    const numbers = {
      block_number: 88256,
      block_number_minted: 88250,
      rarity_rank: 812,
      rarity_percentage: 8.12
    }
    const strings = Object.fromEntries(
      Object.entries(numbers).map(([name, number]) => [name, String(number)])
    )
    for (const encoded of [numbers, strings]) {
      expect(decode(Model, { ...minimal, ...encoded, amount: "5" })).toMatchObject({ ...numbers, amount: 5n })
    }
    expect(decode(Model, { ...minimal, amount: 5 })).toMatchObject({ amount: 5n })
  })

  it("ignores unknown fields", () => {
    const more = {
      updated_at: 1709618828.123,
      transfer_index: [1, 2, 3],
      list_price: { price: null },
      floor_price: "1.5",
      floor_price_usd: "2500",
      floor_price_currency: "eth"
    }
    expect(decode(Model, { ...minimal, ...more })).toStrictEqual({
      ...minimal,
      token_id: 7n,
      ...all(optional, null)
    })
  })
})

describe("an NFT's minter", () => {
  it.each(["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "ERC1155 tokens have no single minter"])(
    "is a string, decoded unchanged: %j",
    (minter_address) => {
      expect(decode(Nft, { ...minimal, minter_address })).toMatchObject({ minter_address })
      expect(decode(OwnedNft, { ...minimal, minter_address })).not.toHaveProperty("minter_address")
    }
  )
})

describe("an NFT's last sale", () => {
  it("may be empty", () => {
    expect(decode(Nft, { ...minimal, last_sale: {} }).last_sale).toStrictEqual({
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

  it("has exact prices", () => {
    const last_sale = {
      price: "250000000000000000001",
      price_formatted: "250.000000000000000001",
      usd_price_at_sale: "473110.0000000000000000001",
      current_usd_value: "811002.5",
      token_id: "7"
    }
    expect(encode(Nft, decode(Nft, { ...minimal, last_sale })).last_sale).toMatchObject(last_sale)
  })

  it("decodes a payment token with missing fields", () => {
    const last_sale = { payment_token: { token_symbol: "ETH", token_decimals: "18" } }
    expect(decode(Nft, { ...minimal, last_sale }).last_sale?.payment_token).toStrictEqual({
      token_name: null,
      token_symbol: "ETH",
      token_logo: null,
      token_decimals: 18,
      token_address: null
    })
  })
})

describe("the status of a page", () => {
  it.each([
    ["SYNCING", { status: "SYNCING" }],
    ["SYNCED", { status: "SYNCED" }],
    ["an unknown status", { status: "an unknown status" }],
    [null, { status: null }],
    [null, {}]
  ])("is %s", (status, members) => {
    for (const { output } of [contractNfts, nftOwners]) {
      expect(decode(output, { result: [minimal], total: null, ...members })).toMatchObject({
        status,
        total: null
      })
    }
  })

  it("is rejected if it is not a string", () => {
    for (const status of [{}, 1, true]) expect(isDecodable(SyncStatus, status)).toBe(false)
  })
})

describe("metadataJson", () => {
  it.each([
    ["JSON", "{\"name\":\"Slate\"}", { name: "Slate" }],
    ["JSON encoded twice", JSON.stringify("{\"name\":\"Slate\"}"), { name: "Slate" }],
    ["an array", "[1,2]", [1, 2]],
    ["a number", "7", 7],
    ["a large integer", "{\"edition\":12345678901234567890}", { edition: "12345678901234567890" }],
    ["a byte order mark before JSON", "\ufeff{\"a\":1}", { a: 1 }],
    ["the document null", "null", null],
    ["null", null, null],
    ["an empty string", "", null],
    ["plain text", "Metadata not found", null],
    ["a JSON string", "\"Metadata not found\"", null],
    ["truncated JSON", "{\"name\":\"Sla", null]
  ])("parses %s", (_, metadata, json) => {
    expect(metadataJson({ metadata })).toEqual(json)
  })

  it("parses JSON that is encoded once or twice", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue()), (value) => {
        const once = JSON.stringify(value)
        const expected: unknown = metadataJson({ metadata: once })
        expect(JSON.stringify(expected).length).toBeGreaterThan(1)
        expect(metadataJson({ metadata: JSON.stringify(once) })).toEqual(expected)
      })
    )
  })
})
