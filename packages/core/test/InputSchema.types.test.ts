/** Types of inputs and outputs. The expectations are checked when this file is compiled. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainName } from "@blockquarry/core/Chain"
import type { Hash } from "@blockquarry/core/Hash"
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import type { LedgerTransaction } from "@blockquarry/core/model/LedgerTransaction"
import type { Nft } from "@blockquarry/core/model/Nft"
import type { OwnedNft } from "@blockquarry/core/model/OwnedNft"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import type { OpenEnum } from "@blockquarry/core/OpenEnum"
import type { ledgerTransaction, nftOwners, walletTransfers } from "@blockquarry/core/Operations"
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as BigDecimal from "effect/BigDecimal"
import type * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"

type InputType<O extends { readonly input: Schema.Schema.AnyNoContext }> = Schema.Schema.Type<O["input"]>

describe("a canonical input", () => {
  it("has canonical values", () => {
    type Transfers = InputType<typeof walletTransfers>
    expectTypeOf<Transfers["address"]>().toEqualTypeOf<Address>()
    expectTypeOf<Transfers["chain"]>().toEqualTypeOf<OpenEnum<ChainName> | undefined>()
    expectTypeOf<Transfers["contract_addresses"]>().toEqualTypeOf<
      readonly [Address, ...Array<Address>] | undefined
    >()
    expectTypeOf<Transfers["from_block"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Transfers["from_date"]>().toEqualTypeOf<DateTime.Utc | undefined>()
    expectTypeOf<InputType<typeof nftOwners>["token_id"]>().toEqualTypeOf<bigint>()
    expectTypeOf<InputType<typeof ledgerTransaction>["txn_hash"]>().toEqualTypeOf<Hash>()
  })
})

describe("an output", () => {
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
