/** Models are schemas that others extend. */
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import type { OwnedNft } from "@blockquarry/core/model/OwnedNft"
import { ChainTransaction } from "@blockquarry/core/model/WalletChains"
import { expect, expectTypeOf, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

it("a model has the fields of its struct", () => {
  expect(Object.keys(ChainTransaction.fields)).toEqual([
    "block_number",
    "block_timestamp",
    "transaction_hash"
  ])
  const Named = Schema.Struct({ ...ChainTransaction.fields, name: Schema.String })
  const transaction = Schema.decodeUnknownSync(Named)({ name: "first", block_number: "5" })
  expect(transaction).toEqual({
    name: "first",
    block_number: 5,
    block_timestamp: null,
    transaction_hash: null
  })
  expectTypeOf(transaction.block_number).toEqualTypeOf<number | null>()
})

it("the type of a model is its name", () => {
  expectTypeOf<typeof OwnedNft.Type>().toEqualTypeOf<OwnedNft>()
  expectTypeOf<typeof Erc20Transfer.Type>().toEqualTypeOf<Erc20Transfer>()
})
