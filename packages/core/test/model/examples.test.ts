/** Example records of every model. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as LedgerTransaction from "@blockquarry/core/model/LedgerTransaction"
import * as Nft from "@blockquarry/core/model/Nft"
import * as NftTrade from "@blockquarry/core/model/NftTrade"
import * as OwnedNft from "@blockquarry/core/model/OwnedNft"
import * as StreamRecord from "@blockquarry/core/model/StreamRecord"
import * as TokenOwner from "@blockquarry/core/model/TokenOwner"
import * as TokenPrice from "@blockquarry/core/model/TokenPrice"
import * as WalletChains from "@blockquarry/core/model/WalletChains"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"

interface Model<A extends object, I> {
  readonly schema: Schema.Schema<A, I>
  readonly example: (fields?: Partial<A>) => A
  readonly encode: (record: A) => I
}

/** Checks an example with fields of arbitrary records. */
const check = <A extends object, I>({ encode, example, schema }: Model<A, I>) => {
  const isValid = Schema.is(schema)
  const decode = Schema.decodeSync(schema)
  const parse = Schema.decodeUnknownSync(Schema.parseJson(schema))
  expect(isValid(example())).toBe(true)
  expect(decode(encode(example()))).toStrictEqual(example())
  const fields = Arbitrary.make(schema).chain((record) =>
    FastCheck.subarray(Object.keys(record)).map((names): Partial<A> => {
      const partial: Partial<A> = { ...record }
      for (const name of Object.keys(record)) if (!names.includes(name)) Reflect.deleteProperty(partial, name)
      return partial
    })
  )
  FastCheck.assert(
    FastCheck.property(fields, (fields) => {
      const record = example(fields)
      expect(isValid(record)).toBe(true)
      expect(record).toStrictEqual({ ...example(), ...fields })
      expect(encode(record)).toStrictEqual(Schema.encodeSync(schema)(record))
      // An empty text in a nullable field is decoded to null.
      const decoded = parse(JSON.stringify(encode(record)).replaceAll("\"\"", "\"-\""))
      expect(decode(encode(decoded))).toStrictEqual(decoded)
      expect(parse(JSON.stringify(encode(decoded)))).toStrictEqual(decoded)
    })
  )
}

const userTransaction = LedgerTransaction.LedgerTransaction.pipe(
  Schema.filter((transaction): transaction is LedgerTransaction.UserTransaction =>
    transaction.type === "user_transaction"
  )
)

const models = {
  Erc20Transfer: () =>
    check({
      schema: Erc20Transfer.Erc20Transfer,
      example: Erc20Transfer.example,
      encode: Erc20Transfer.encode
    }),
  LedgerTransaction: () =>
    check({ schema: userTransaction, example: LedgerTransaction.example, encode: LedgerTransaction.encode }),
  Nft: () => check({ schema: Nft.Nft, example: Nft.example, encode: Nft.encode }),
  OwnedNft: () => check({ schema: OwnedNft.OwnedNft, example: OwnedNft.example, encode: OwnedNft.encode }),
  NftTrade: () => check({ schema: NftTrade.NftTrade, example: NftTrade.example, encode: NftTrade.encode }),
  StreamRecord: () =>
    check({ schema: StreamRecord.StreamRecord, example: StreamRecord.example, encode: StreamRecord.encode }),
  TokenOwner: () =>
    check({ schema: TokenOwner.TokenOwner, example: TokenOwner.example, encode: TokenOwner.encode }),
  TokenPrice: () =>
    check({ schema: TokenPrice.TokenPrice, example: TokenPrice.example, encode: TokenPrice.encode }),
  WalletChains: () =>
    check({ schema: WalletChains.WalletChains, example: WalletChains.example, encode: WalletChains.encode })
}

describe("example records", () => {
  it.each(Object.entries(models))("are valid and survive JSON: %s", (_, run) => run())

  it("exist for every model", () => {
    const files = readdirSync(new URL("../../src/model", import.meta.url))
    expect(files.map((file) => file.replace(".ts", "")).filter((name) => !(name in models))).toEqual([])
  })

  it("keep the fields that are given", () => {
    expect(Erc20Transfer.example({ value: 5n })).toMatchObject({ value: 5n, token_symbol: "QUSD" })
    expect(TokenPrice.example({ usdPrice: 1.5, tokenName: null })).toMatchObject({
      usdPrice: 1.5,
      tokenName: null
    })
  })
})
