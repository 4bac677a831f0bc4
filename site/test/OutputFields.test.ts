import { nftMetadata } from "@blockquarry/core/operations/nftMetadata"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { expect, it } from "vitest"
import { outputFields } from "../src/OutputFields.ts"

it.each(
  [
    [walletTransfers, "result", true, true, "an array"],
    [walletTransfers, "result[].value", true, false, "an integer of at least 0"],
    [walletTransfers, "result[].verified_contract", false, false, "true or false"],
    [tokenPrice, "usdPrice", true, true, "a number"],
    [tokenPrice, "24hrPercentChange", false, false, "a decimal number"],
    [walletTransfers, "result[].token_decimals", true, false, "an integer of at least 0"],
    [nftMetadata, "last_sale", false, false, "an object"],
    [nftMetadata, "last_sale.price", true, false, "an integer of at least 0"],
    [nftMetadata, "media", true, false, "any JSON value"]
  ] as const
)("describes a field: %#", ({ output }, path, isFact, isRequired, expected) => {
  expect(outputFields(output).find((field) => field.path === path)).toEqual({
    path,
    isFact,
    isRequired,
    expected
  })
})

it("lists each field once", () => {
  const paths = outputFields(walletTransfers.output).map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
})
