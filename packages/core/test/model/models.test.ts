/** What all models have in common, and the forms that single fields accept. */
import { maxUint256 } from "@blockquarry/core/Amount"
import * as Decoder from "@blockquarry/core/Decoder"
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import * as LedgerTransaction from "@blockquarry/core/model/LedgerTransaction"
import * as Nft from "@blockquarry/core/model/Nft"
import * as NftTrade from "@blockquarry/core/model/NftTrade"
import * as OwnedNft from "@blockquarry/core/model/OwnedNft"
import * as StreamRecord from "@blockquarry/core/model/StreamRecord"
import * as TokenOwner from "@blockquarry/core/model/TokenOwner"
import * as TokenPrice from "@blockquarry/core/model/TokenPrice"
import * as WalletChains from "@blockquarry/core/model/WalletChains"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"ab".repeat(32)}`
const id = "3b6c8a52-9f0e-4b7b-8d0c-52a6a1c7d9ef"

/** The smallest document of each model, decoded. All other fields may be missing. */
const minimal = {
  Erc20Transfer: [Erc20Transfer.Erc20Transfer, { transaction_hash: hash, block_number: 5 }],
  NftTrade: [NftTrade.NftTrade, { transaction_hash: hash, block_number: 5 }],
  Nft: [Nft.Nft, { token_address: address, token_id: 7n }],
  OwnedNft: [OwnedNft.OwnedNft, { token_address: address, token_id: 7n }],
  LastSale: [Nft.LastSale, {}],
  PaymentToken: [Nft.PaymentToken, {}],
  StreamRecord: [StreamRecord.StreamRecord, { id, status: "active" }],
  StreamTrigger: [StreamRecord.StreamTrigger, {}],
  AbiItem: [StreamRecord.AbiItem, {}],
  AbiParameter: [StreamRecord.AbiParameter, {}],
  TokenOwner: [TokenOwner.TokenOwner, { owner_address: address }],
  TokenPrice: [TokenPrice.TokenPrice, { usdPrice: 1.25 }],
  NativePrice: [TokenPrice.NativePrice, {}],
  WalletChains: [WalletChains.WalletChains, { address, active_chains: [] }],
  ActiveChain: [WalletChains.ActiveChain, {}],
  ChainTransaction: [WalletChains.ChainTransaction, {}]
} as const

describe.each(Object.entries(minimal))("%s", (_, [schema, required]) => {
  const optional = Object.keys(schema.fields).filter((name) => !(name in required))
  const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))

  it("decodes missing fields to null, and ignores unknown ones", () => {
    for (const more of [{}, all(undefined), all(null), { future_field: { deep: [1] } }]) {
      expect(decode(schema, { ...required, ...more })).toStrictEqual({ ...required, ...all(null) })
    }
  })

  it("requires the other fields, and names the one that is missing or invalid", () => {
    for (const name of Object.keys(required)) {
      for (const value of [undefined, null, {}, true]) {
        expect(isDecodable(schema, { ...required, [name]: value })).toBe(false)
        expect(decodeIssues(schema, { ...required, [name]: value })).toContain(`${name}: `)
      }
    }
  })
})

interface Model<A extends object, I> {
  readonly schema: Schema.Schema<A, I>
  readonly example: (fields?: Partial<A>) => A
}

/** Checks an example with fields of arbitrary records. */
const checkExample = <A extends object, I>({ example, schema }: Model<A, I>) => {
  const encode = Decoder.encoder(schema)
  const isValid = Schema.is(schema)
  const parse = Schema.decodeUnknownSync(Schema.parseJson(schema))
  expect(Schema.decodeSync(schema)(encode(example()))).toStrictEqual(example())
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
      expect(parse(JSON.stringify(encode(decoded)))).toStrictEqual(decoded)
    })
  )
}

const userTransaction = LedgerTransaction.LedgerTransaction.pipe(
  Schema.filter((transaction): transaction is LedgerTransaction.UserTransaction =>
    transaction.type === "user_transaction"
  )
)

const examples: Readonly<Record<string, () => void>> = {
  Erc20Transfer: () => checkExample({ ...Erc20Transfer, schema: Erc20Transfer.Erc20Transfer }),
  LedgerTransaction: () => checkExample({ ...LedgerTransaction, schema: userTransaction }),
  Nft: () => checkExample({ ...Nft, schema: Nft.Nft }),
  OwnedNft: () => checkExample({ ...OwnedNft, schema: OwnedNft.OwnedNft }),
  NftTrade: () => checkExample({ ...NftTrade, schema: NftTrade.NftTrade }),
  StreamRecord: () => checkExample({ ...StreamRecord, schema: StreamRecord.StreamRecord }),
  TokenOwner: () => checkExample({ ...TokenOwner, schema: TokenOwner.TokenOwner }),
  TokenPrice: () => checkExample({ ...TokenPrice, schema: TokenPrice.TokenPrice }),
  WalletChains: () => checkExample({ ...WalletChains, schema: WalletChains.WalletChains })
}

describe("an example record", () => {
  it.each(Object.entries(examples))(
    "keeps the fields that are given, and survives JSON: %s",
    (_, run) => run()
  )

  it("exists for every model", () => {
    const files = readdirSync(new URL("../../src/model", import.meta.url))
    expect(files.map((file) => file.replace(".ts", "")).sort()).toEqual(Object.keys(examples).sort())
  })
})

describe("a model", () => {
  it("has the fields of its struct, for schemas that extend it, and its name as its type", () => {
    const Named = Schema.Struct({ ...WalletChains.ChainTransaction.fields, name: Schema.String })
    const transaction = decode(Named, { name: "first", block_number: "5" })
    expect(transaction).toMatchObject({ name: "first", block_number: 5, transaction_hash: null })
    expectTypeOf(transaction.block_number).toEqualTypeOf<number | null>()
    expectTypeOf<typeof OwnedNft.OwnedNft.Type>().toEqualTypeOf<OwnedNft.OwnedNft>()
  })
})

/** Fields with a form in which upstreams send them, and how that is encoded. `scalars.test.ts` has the forms of each scalar. */
const forms = [
  ["Erc20Transfer", { verified_contract: 0 }, { verified_collection: null, verified_contract: false }],
  ["NftTrade", { token_ids: ["7", "7", `${maxUint256}`, "0x0a"] }, {
    token_ids: ["7", "7", `${maxUint256}`, "10"]
  }],
  ["OwnedNft", { contract_type: "ERC9999", metadata: "x" }, { contract_type: "ERC9999", metadata: "x" }],
  ["Nft", { minter_address: "no single minter" }, { minter_address: "no single minter" }],
  ["TokenOwner", { percentage_relative_to_total_supply: 1e-18 }, {
    percentage_relative_to_total_supply: "0.000000000000000001"
  }],
  ["TokenPrice", { usdPrice: "1e-21", "24hrPercentChange": 1.5 }, {
    usdPrice: 1e-21,
    "24hrPercentChange": "1.5"
  }],
  ["TokenPrice", { tokenDecimals: `${maxUint256}`, nativePrice: "0.0084" }, {
    tokenDecimals: null,
    nativePrice: null
  }],
  ["StreamRecord", { status: "an unknown status", demo: "0" }, { status: "an unknown status", demo: false }],
  ["AbiItem", { gas: "21000", inputs: [null] }, { gas: 21000, inputs: [null] }]
] as const

const modelOf = (name: keyof typeof minimal): readonly [Schema.Schema.AnyNoContext, object] => minimal[name]

describe("a field", () => {
  it.each(forms)("of %s is read from %j", (name, fields, encoded) => {
    const [schema, required] = modelOf(name)
    const record: unknown = decode(schema, { ...required, ...fields })
    expect(Schema.encodeUnknownSync(schema)(record)).toMatchObject(encoded)
  })

  it.each([
    ["getNativeBalances", { selectors: ["$from"], type: "tx" }],
    ["abi", decode(StreamRecord.AbiItem, { name: "Transfer", inputs: [{ name: "from" }] })],
    ["advancedOptions", { topic0: "Transfer(address)", filter: { or: [] }, includeNativeTxs: null }],
    ["triggers", decode(StreamRecord.StreamTrigger, { inputs: ["$from", ["nested"], 7], functionAbi: {} })]
  ])("%s is an array, also if it is sent as an object", (name, element) => {
    const document = { id, status: "active" }
    for (
      const [value, expected] of [[element, [element]], [[element, element], [element, element]], [[], []]]
    ) {
      const record = decode(StreamRecord.StreamRecord, { ...document, [name]: value })
      expect(record).toHaveProperty([name], expected)
      expect(decode(StreamRecord.StreamRecord, encode(StreamRecord.StreamRecord, record))).toEqual(record)
    }
  })
})
