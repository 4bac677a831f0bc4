import { nftMetadata } from "@blockquarry/core/operations/nftMetadata"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { outputFields } from "@blockquarry/core/OutputFields"
import { expect, it } from "@effect/vitest"

it.each(
  [
    [walletTransfers, "result", "fact", true, "an array"],
    [walletTransfers, "result[].value", "fact", false, "an integer of at least 0"],
    [walletTransfers, "result[].verified_contract", "unlisted", false, "true or false"],
    [tokenPrice, "usdPrice", "fact", true, "a number"],
    [tokenPrice, "24hrPercentChange", "describing", false, "a decimal number"],
    [nftMetadata, "last_sale", "describing", false, "an object"],
    [nftMetadata, "last_sale.price", "fact", false, "an integer of at least 0"],
    [nftMetadata, "media", "fact", false, "any JSON value"]
  ] as const
)("describes a field: %#", ({ output }, path, kind, isRequired, expected) => {
  expect(outputFields(output).find((field) => field.path === path)).toEqual({
    path,
    kind,
    isRequired,
    expected
  })
})

it("lists each field once", () => {
  const paths = outputFields(walletTransfers.output).map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
})
