/** Types of inputs and outputs. The expectations are checked when this file is compiled. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainInput, ChainName, nftTradeChains, priceChains } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { BlockOrDateRangeInput, LowerBound, UpperBound } from "@blockquarry/core/InputSchema"
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import type { LedgerTransaction } from "@blockquarry/core/model/LedgerTransaction"
import type { Nft } from "@blockquarry/core/model/Nft"
import type { OwnedNft } from "@blockquarry/core/model/OwnedNft"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import type { ItemOf } from "@blockquarry/core/Operation"
import type {
  contractNfts,
  ledgerTransaction,
  nftMetadata,
  nftOwners,
  tokenPrice,
  tokenTransfers,
  updateStreamStatus,
  walletChains,
  walletNftTrades,
  walletTransfers
} from "@blockquarry/core/Operations"
import type { TimeInput } from "@blockquarry/core/Time"
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as BigDecimal from "effect/BigDecimal"
import type * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"

type InputEncoded<O extends { readonly input: Schema.Schema.AnyNoContext }> = Schema.Schema.Encoded<
  O["input"]
>

type InputType<O extends { readonly input: Schema.Schema.AnyNoContext }> = Schema.Schema.Type<O["input"]>

type OutputType<O extends { readonly output: Schema.Schema.AnyNoContext }> = Schema.Schema.Type<O["output"]>

type NftTradeChainName = typeof nftTradeChains[number]
type PriceChainName = typeof priceChains[number]

describe("the parameters of an operation", () => {
  it("may be absent or undefined, except path parameters and status", () => {
    expectTypeOf<{ address: string }>().toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: string; limit: undefined; from_block: undefined; chain: undefined }>()
      .toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ limit: number }>().not.toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: undefined }>().not.toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: null }>().not.toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: string }>().not.toExtend<InputEncoded<typeof nftOwners>>()
    expectTypeOf<{ id: string }>().not.toExtend<InputEncoded<typeof updateStreamStatus>>()
    expectTypeOf<{ id: string; status: "stopped" }>().not.toExtend<InputEncoded<typeof updateStreamStatus>>()
  })

  it("have the types of canonical values", () => {
    type Transfers = InputEncoded<typeof walletTransfers>
    expectTypeOf<Transfers["limit"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Transfers["order"]>().toEqualTypeOf<"ASC" | "DESC" | undefined>()
    expectTypeOf<Transfers["contract_addresses"]>().toEqualTypeOf<ReadonlyArray<string> | undefined>()
    expectTypeOf<InputEncoded<typeof nftOwners>["token_id"]>().toEqualTypeOf<string | bigint>()
    expectTypeOf<InputEncoded<typeof nftMetadata>["format"]>().toEqualTypeOf<"decimal" | "hex" | undefined>()
    expectTypeOf<InputEncoded<typeof contractNfts>["format"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<InputEncoded<typeof contractNfts>["media_items"]>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<InputEncoded<typeof tokenPrice>["include"]>().toEqualTypeOf<"percent_change" | undefined>()
    expectTypeOf<InputEncoded<typeof updateStreamStatus>["status"]>().toEqualTypeOf<
      "active" | "paused" | "error" | "terminated"
    >()
  })
})

describe("a chain", () => {
  it("is one of the chains of the operation, by name or by ID", () => {
    expectTypeOf<InputEncoded<typeof walletNftTrades>["chain"]>().toEqualTypeOf<
      ChainInput<NftTradeChainName> | undefined
    >()
    expectTypeOf<InputEncoded<typeof tokenPrice>["chain"]>().toEqualTypeOf<
      ChainInput<PriceChainName> | undefined
    >()
    expectTypeOf<PriceChainName | "polygon amoy" | "0x13882" | "sepolia">().toExtend<
      NonNullable<InputEncoded<typeof walletTransfers>["chain"]>
    >()
  })

  it("outside that set is an error", () => {
    expectTypeOf<{ address: string; chain: "sepolia" }>().toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: string; chain: "sepolia" }>().not.toExtend<InputEncoded<typeof walletNftTrades>>()
    expectTypeOf<{ address: string; chain: "0xaa36a7" }>().not.toExtend<InputEncoded<typeof tokenPrice>>()
    expectTypeOf<{ address: string; chain: "fantom" }>().not.toExtend<InputEncoded<typeof walletNftTrades>>()
    expectTypeOf<{ address: string; chain: "solana" }>().not.toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: string; chain: string }>().not.toExtend<InputEncoded<typeof walletTransfers>>()
    expectTypeOf<{ address: string; chains: ["solana"] }>().toExtend<InputEncoded<typeof walletChains>>()
    expectTypeOf<{ address: string; chains: [5] }>().not.toExtend<InputEncoded<typeof walletChains>>()
  })
})

describe("a range", () => {
  type Transfers = InputEncoded<typeof walletTransfers>

  it("has a block or a date for each bound, not both", () => {
    expectTypeOf<{ address: string; from_block: number; to_block: number }>().toExtend<Transfers>()
    expectTypeOf<{ address: string; from_block: number; to_date: string }>().toExtend<Transfers>()
    expectTypeOf<{ address: string; from_date: Date; to_date: DateTime.Zoned }>().toExtend<Transfers>()
    expectTypeOf<{ address: string; from_block: number; from_date: string }>().not.toExtend<Transfers>()
    expectTypeOf<{ address: string; to_block: number; to_date: string }>().not.toExtend<Transfers>()
    expectTypeOf<{ from_block: number; from_date: string }>().not.toExtend<LowerBound<string>>()
    expectTypeOf<{ to_block: number; to_date: string }>().not.toExtend<UpperBound<string>>()
    expectTypeOf<Transfers>().toExtend<BlockOrDateRangeInput<TimeInput>>()
  })

  it("accepts epoch seconds for walletNftTrades only", () => {
    expectTypeOf<{ address: string; from_date: number }>().toExtend<InputEncoded<typeof walletNftTrades>>()
    expectTypeOf<{ address: string; from_date: number }>().not.toExtend<Transfers>()
    expectTypeOf<{ address: string; to_date: number }>().not.toExtend<InputEncoded<typeof tokenTransfers>>()
  })
})

describe("a canonical input", () => {
  it("has canonical values", () => {
    type Transfers = InputType<typeof walletTransfers>
    expectTypeOf<Transfers["address"]>().toEqualTypeOf<Address>()
    expectTypeOf<Transfers["chain"]>().toEqualTypeOf<ChainName | undefined>()
    expectTypeOf<Transfers["contract_addresses"]>().toEqualTypeOf<
      readonly [Address, ...Array<Address>] | undefined
    >()
    expectTypeOf<Transfers["from_block"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Transfers["from_date"]>().toEqualTypeOf<DateTime.Utc | undefined>()
    expectTypeOf<InputType<typeof walletNftTrades>["chain"]>().toEqualTypeOf<NftTradeChainName | undefined>()
    expectTypeOf<InputType<typeof tokenPrice>["chain"]>().toEqualTypeOf<PriceChainName | undefined>()
    expectTypeOf<InputType<typeof nftOwners>["token_id"]>().toEqualTypeOf<bigint>()
    expectTypeOf<InputType<typeof ledgerTransaction>["txn_hash"]>().toEqualTypeOf<Hash>()
  })
})

describe("an output", () => {
  it("has the records of its operation", () => {
    expectTypeOf<ItemOf<OutputType<typeof walletTransfers>>>().toEqualTypeOf<Erc20Transfer>()
    expectTypeOf<ItemOf<OutputType<typeof nftOwners>>>().toEqualTypeOf<OwnedNft>()
    expectTypeOf<OutputType<typeof nftMetadata>>().toEqualTypeOf<Nft>()
    expectTypeOf<OutputType<typeof ledgerTransaction>>().toEqualTypeOf<LedgerTransaction>()
  })

  it("has exact amounts, and null for missing fields", () => {
    expectTypeOf<Erc20Transfer["value"]>().toEqualTypeOf<bigint | null>()
    expectTypeOf<Erc20Transfer["transaction_hash"]>().toEqualTypeOf<Hash>()
    expectTypeOf<Erc20Transfer["block_number"]>().toEqualTypeOf<number>()
    expectTypeOf<Erc20Transfer["block_timestamp"]>().toEqualTypeOf<DateTime.Utc | null>()
    expectTypeOf<Erc20Transfer["possible_spam"]>().toEqualTypeOf<boolean | null>()
    expectTypeOf<TokenOwner["balance"]>().toEqualTypeOf<bigint | null>()
    expectTypeOf<TokenOwner["usd_value"]>().toEqualTypeOf<BigDecimal.BigDecimal | null>()
    expectTypeOf<TokenPrice["usdPrice"]>().toEqualTypeOf<number>()
    expectTypeOf<Nft["token_id"]>().toEqualTypeOf<bigint>()
    expectTypeOf<keyof OwnedNft>().toEqualTypeOf<Exclude<keyof Nft, "minter_address" | "last_sale">>()
  })

  it("discriminates the variants of a transaction by type", () => {
    expectTypeOf<LedgerTransaction["type"]>().toEqualTypeOf<
      | "pending_transaction"
      | "user_transaction"
      | "genesis_transaction"
      | "block_metadata_transaction"
      | "state_checkpoint_transaction"
      | "validator_transaction"
      | "block_epilogue_transaction"
      | "other"
    >()
    expectTypeOf<Extract<LedgerTransaction, { type: "pending_transaction" }>["gas_unit_price"]>()
      .toEqualTypeOf<bigint | null>()
  })
})
