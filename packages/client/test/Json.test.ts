/** Records as JSON, and models. */
import {
  encode,
  Erc20Transfer,
  InvalidRecordError,
  LedgerTransaction,
  type Model,
  Nft,
  NftTrade,
  OwnedNft,
  StreamRecord,
  stringify,
  TokenOwner,
  TokenPrice,
  WalletChains
} from "@blockquarry/client"
import * as CoreErc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as CoreLedgerTransaction from "@blockquarry/core/model/LedgerTransaction"
import * as CoreNft from "@blockquarry/core/model/Nft"
import * as CoreNftTrade from "@blockquarry/core/model/NftTrade"
import * as CoreOwnedNft from "@blockquarry/core/model/OwnedNft"
import * as CoreStreamRecord from "@blockquarry/core/model/StreamRecord"
import * as CoreTokenOwner from "@blockquarry/core/model/TokenOwner"
import * as CoreTokenPrice from "@blockquarry/core/model/TokenPrice"
import * as CoreWalletChains from "@blockquarry/core/model/WalletChains"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import type * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { toPlain } from "../src/internal/Plain.ts"

const parse = (text: string): unknown => JSON.parse(text)

/** An empty text in a nullable field is decoded to null. */
const hasEmptyText = (value: unknown): boolean => stringify(value).includes("\"\"")

/** Checks arbitrary records of a model. */
const check = <A extends object, I, Record>(
  schema: Schema.Schema<A, I>,
  model: Pick<Model<Record>, "decode">,
  encodeCore: (record: A) => I
) =>
() =>
  FastCheck.assert(
    FastCheck.property(Arbitrary.make(schema), (record) => {
      const plain = toPlain(record)
      FastCheck.pre(!hasEmptyText(plain))
      expect(model.decode(parse(stringify(plain)))).toStrictEqual(plain)
      expect(model.decode(encodeCore(record))).toStrictEqual(plain)
      // An unknown transaction is encoded with its hash, so that its type is known.
      if (!("document" in record)) expect(encode(plain)).toEqual(encodeCore(record))
    })
  )

const models = {
  Erc20Transfer: check(CoreErc20Transfer.Erc20Transfer, Erc20Transfer, CoreErc20Transfer.encode),
  Nft: check(CoreNft.Nft, Nft, CoreNft.encode),
  OwnedNft: check(CoreOwnedNft.OwnedNft, OwnedNft, CoreOwnedNft.encode),
  NftTrade: check(CoreNftTrade.NftTrade, NftTrade, CoreNftTrade.encode),
  TokenOwner: check(CoreTokenOwner.TokenOwner, TokenOwner, CoreTokenOwner.encode),
  TokenPrice: check(CoreTokenPrice.TokenPrice, TokenPrice, CoreTokenPrice.encode),
  WalletChains: check(CoreWalletChains.WalletChains, WalletChains, CoreWalletChains.encode),
  StreamRecord: check(CoreStreamRecord.StreamRecord, StreamRecord, CoreStreamRecord.encode),
  LedgerTransaction: check(
    CoreLedgerTransaction.LedgerTransaction,
    LedgerTransaction,
    CoreLedgerTransaction.encode
  )
}

describe("a record", () => {
  it.each(Object.entries(models))("%s survives JSON, in the encoding of the models", (_, run) => run())

  it("is encoded inside of other values", () => {
    const transfer = Erc20Transfer.example({ value: 2n ** 70n })
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
  it("makes records with some fields replaced", () => {
    expect(TokenPrice.example({ usdPrice: 1.5 })).toStrictEqual({ ...TokenPrice.example(), usdPrice: 1.5 })
    expect(LedgerTransaction.example({ gas_used: 5n }).gas_used).toBe(5n)
  })

  it("rejects other values with the path of the problem", () => {
    const decode = () => Nft.decode({ ...encode(Nft.example()), amount: "1.5" })
    expect(decode).toThrow(InvalidRecordError)
    expect(decode).toThrow("Nft at amount: expected an integer of at least 0 or null, got \"1.5\"")
    expect(() => Nft.decode(null)).toThrow(InvalidRecordError)
    expect(() => WalletChains.decode({ ...encode(WalletChains.example()), active_chains: [5] }))
      .toThrow("at active_chains[0]: ")
  })
})
