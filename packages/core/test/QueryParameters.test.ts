/** Parameters that no description has: which are rejected. `ApiRequest` and the golden records of `http` have how the others are encoded. */
import { contractNfts, walletTransfers } from "@blockquarry/core/Operations"
import { queryIssues } from "@blockquarry/core/QueryParameters"
import { describe, expect, it } from "@effect/vitest"

describe("queryIssues", () => {
  it.each([
    ["address", "the operation has the parameter address; set it in the input"],
    ["contract_addresses[]", "the operation has the parameter contract_addresses; set it in the input"],
    ["contract_addresses[0]", "the operation has the parameter contract_addresses; set it in the input"],
    ["Chain", "unknown parameter; did you mean chain, which is set in the input?"],
    ["form_block", "unknown parameter; did you mean from_block, which is set in the input?"],
    ["fromBlock", "unknown parameter; did you mean from_block, which is set in the input?"],
    ["limt", "unknown parameter; did you mean limit, which is set in the input?"],
    ["", "expected a non-empty, well-formed name"],
    ["\ud800", "expected a non-empty, well-formed name"]
  ])("rejects the name %j", (name, reason) => {
    expect(queryIssues(walletTransfers, { [name]: 1 })).toEqual([
      { parameter: `query.${name}`, reason: expect.stringContaining(reason) }
    ])
  })

  it.each(["include_spam", "limit_type", "address_label", "date", "exclude", "block", "filter[eq]", "x"])(
    "passes the unknown name %s",
    (name) => {
      expect(queryIssues(walletTransfers, { [name]: 1 })).toEqual([])
      expect(queryIssues(contractNfts, { [name]: [1, "a", true, 5n] })).toEqual([])
    }
  )

  it.each([
    [Number.NaN, "got NaN"],
    [2 ** 60, "which is beyond 2^53"],
    ["\udfff", "got"],
    [null, "got null"],
    [{}, "got an object"],
    [[1, [2]], "got an array"],
    [[1, undefined], "got undefined"]
  ])("rejects the value %j", (value, reason) => {
    expect(queryIssues(walletTransfers, { fresh: value })).toEqual([
      { parameter: "query.fresh", reason: expect.stringContaining(reason) }
    ])
  })
})
