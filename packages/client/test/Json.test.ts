/** Records as JSON, and models. */
import * as Client from "@blockquarry/client"
import { encode, InvalidRecordError, Nft, stringify } from "@blockquarry/client"
import * as Core from "@blockquarry/core"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { toPlain } from "../src/internal/Plain.ts"

const parse = (text: string): unknown => JSON.parse(text)

/** An empty text in a nullable field is decoded to null. */
const hasEmptyText = (value: unknown): boolean => stringify(value).includes("\"\"")

/** Checks arbitrary records of a model. */
const check = <A extends object, I, Record>(
  schema: Schema.Schema<A, I>,
  model: Pick<Client.Model<Record>, "decode">
) =>
() =>
  FastCheck.assert(
    FastCheck.property(Arbitrary.make(schema), (record) => {
      const plain = toPlain(record)
      const encoded = Schema.encodeSync(schema)(record)
      FastCheck.pre(!hasEmptyText(plain))
      expect(model.decode(parse(stringify(plain)))).toStrictEqual(plain)
      expect(model.decode(encoded)).toStrictEqual(plain)
      // An unknown transaction is encoded with its hash, so that its type is known.
      if (!("document" in record)) expect(encode(plain)).toEqual(encoded)
    })
  )

const models = {
  Erc20Transfer: check(Core.Erc20Transfer.Erc20Transfer, Client.Erc20Transfer),
  Nft: check(Core.Nft.Nft, Client.Nft),
  OwnedNft: check(Core.OwnedNft.OwnedNft, Client.OwnedNft),
  NftTrade: check(Core.NftTrade.NftTrade, Client.NftTrade),
  TokenOwner: check(Core.TokenOwner.TokenOwner, Client.TokenOwner),
  TokenPrice: check(Core.TokenPrice.TokenPrice, Client.TokenPrice),
  WalletChains: check(Core.WalletChains.WalletChains, Client.WalletChains),
  StreamRecord: check(Core.StreamRecord.StreamRecord, Client.StreamRecord),
  LedgerTransaction: check(
    Core.LedgerTransaction.LedgerTransaction,
    Client.LedgerTransaction
  )
}

describe("a record", () => {
  it.each(Object.entries(models))("%s survives JSON, in the encoding of the models", (_, run) => run())

  it("is encoded inside of other values", () => {
    const transfer = Client.Erc20Transfer.example({ value: 2n ** 70n })
    expect(parse(stringify({ at: new Date(0), transfers: [transfer], none: undefined }))).toMatchObject({
      at: "1970-01-01T00:00:00.000Z",
      transfers: [{ value: "1180591620717411303424", block_timestamp: "2024-01-13T12:00:00.000Z" }]
    })
  })

  it("is encoded beside errors, which keep their message", () => {
    const error = new InvalidRecordError({ model: "Nft", path: "amount", reason: "expected an integer" })
    expect(encode({ error, value: 5n })).toEqual({ error: error.toJSON(), value: "5" })
    expect(error.toJSON()).toMatchObject({ message: "Nft at amount: expected an integer" })
  })
})

it("keeps members of metadata with special names", () => {
  const normalized_metadata = parse(`{"__proto__":{"a":[1]},"constructor":2,"toJSON":3}`)
  const nft = Nft.decode({ ...encode(Nft.example()), normalized_metadata })
  expect(Object.keys(Object(nft.normalized_metadata))).toEqual(["__proto__", "constructor", "toJSON"])
  expect(parse(stringify(nft))).toMatchObject({ token_id: "1" })
  expect(stringify(nft)).toContain(`{"__proto__":{"a":[1]},"constructor":2,"toJSON":3}`)
})

describe("a model", () => {
  it("rejects other values with the path of the problem", () => {
    const decode = () => Nft.decode({ ...encode(Nft.example()), amount: "1.5" })
    expect(decode).toThrow(InvalidRecordError)
    expect(decode).toThrow("Nft at amount: expected an integer of at least 0 or null, got \"1.5\"")
    expect(() => Nft.decode(null)).toThrow(InvalidRecordError)
  })
})
