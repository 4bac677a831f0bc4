import type { AnyOperation } from "@blockquarry/core/Operation"
import {
  contractNfts,
  nftMetadata,
  tokenOwners,
  tokenPrice,
  tokenTransfers,
  updateStreamStatus,
  walletChains,
  walletNftTrades,
  walletTransfers
} from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import { decodedInput, inputIssues } from "./support/operationInputs.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const other = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

describe("an optional parameter", () => {
  it.each([
    ["absent", {}],
    ["undefined", {
      chain: undefined,
      limit: undefined,
      from_block: undefined,
      contract_addresses: undefined
    }],
    ["an empty string", { chain: "", limit: "", order: "", cursor: "", from_block: "", to_date: "" }],
    ["an empty array", { contract_addresses: [] }],
    ["an array of empty strings", { contract_addresses: ["", ""] }]
  ])("is omitted if it is %s", (_, parameters) => {
    expect(decodedInput(walletTransfers, { address, ...parameters })).toStrictEqual({ address })
  })

  it("is reported as missing if it is required", () => {
    expect(inputIssues(walletTransfers, {})).toEqual([["address", "is missing"]])
    expect(inputIssues(walletTransfers, { address: "" })).toEqual([["address", "is missing"]])
    expect(inputIssues(updateStreamStatus, { id: "", status: undefined })).toEqual([
      ["id", "is missing"],
      ["status", "is missing"]
    ])
  })

  it("is rejected if it is null", () => {
    expect(inputIssues(walletTransfers, { address, limit: null })).toEqual([
      ["limit", "expected an integer of at least 1, got null"]
    ])
  })
})

describe("an input", () => {
  it.each([["null", null], ["a string", "address"], ["an array", [address]], ["undefined", undefined], [
    "a number",
    5
  ]])(
    "is rejected if it is %s",
    (_, encoded) => {
      expect(inputIssues(walletTransfers, encoded).map(([parameter]) => parameter)).toEqual(["input"])
    }
  )

  it("reports every invalid parameter, not only the first", () => {
    const encoded = { address: "x", chain: "solana", limit: 0, order: "UP", cursor: "", from_block: -1 }
    expect(inputIssues(walletTransfers, encoded).map(([parameter]) => parameter)).toEqual([
      "address",
      "chain",
      "limit",
      "order",
      "from_block"
    ])
  })

  it.each([
    { address, limt: 3 },
    { address, cursr: null, limit: 3 },
    JSON.parse(`{"address":"${address}","__proto__":{"limit":7},"constructor":"x"}`)
  ])("is rejected if it has unknown parameters: %j", (encoded: object) => {
    const reason =
      "unknown parameter; expected one of address, chain, contract_addresses, limit, order, cursor, " +
      "from_block, from_date, to_block, to_date"
    const names = Object.keys(encoded).filter((name) => name !== "address" && name !== "limit")
    expect(inputIssues(walletTransfers, encoded)).toEqual(names.map((name) => [name, reason]))
  })

  it("reports a misspelled parameter besides the missing one", () => {
    expect(inputIssues(walletTransfers, { addres: address })).toEqual([
      ["address", "is missing"],
      ["addres", expect.stringContaining("unknown parameter; expected one of address, ")]
    ])
  })

  it("ignores unknown parameters that are undefined", () => {
    expect(decodedInput(walletTransfers, { address, limt: undefined })).toStrictEqual({ address })
  })

  it("ignores inherited members", () => {
    expect(decodedInput(walletTransfers, Object.assign(Object.create({ limit: 7 }), { address })))
      .toStrictEqual({
        address
      })
    expect(inputIssues(walletTransfers, Object.create({ address })).map(([parameter]) => parameter)).toEqual([
      "address"
    ])
  })

  it("does not change the input", () => {
    const encoded = { address, chain: "", limit: undefined, from_block: 1, from_date: "2024-01-01" }
    const copy = { ...encoded }
    expect(decodedInput(walletTransfers, encoded)).toStrictEqual({ address, from_block: 1 })
    expect(encoded).toStrictEqual(copy)
  })

  const longInputs: ReadonlyArray<readonly [string, AnyOperation, object]> = [
    ["id", updateStreamStatus, { id: "x\u0000\n".repeat(50_000) + "\ud800", status: "active" }],
    ["status", updateStreamStatus, { id: "1", status: "x\n".repeat(50_000) }],
    ["include", tokenPrice, { address, include: "x\n".repeat(50_000) }],
    ["format", nftMetadata, { address, token_id: 1, format: "x\n".repeat(50_000) }],
    ["chain", tokenPrice, { address, chain: "x\n".repeat(50_000) }],
    ["to_date", tokenTransfers, { address, to_date: "x\n".repeat(50_000) }],
    ["chains.0", walletChains, { address, chains: ["x\n".repeat(50_000) + "\ud800"] }]
  ]

  it.each(longInputs)(
    "reports one short line for an invalid %s of any length",
    (parameter, operation, encoded) => {
      const issues = inputIssues(operation, encoded)
      expect(issues.map(([name]) => name)).toContain(parameter)
      for (const [, reason] of issues) {
        expect(reason).not.toContain("\n")
        expect(reason.length).toBeLessThan(600)
      }
    }
  )
})

describe("order and limit", () => {
  it("are decoded in any case and from digits", () => {
    for (const order of ["ASC", "asc", "Asc"]) {
      const encoded = { token_address: address, order, limit: "100" }
      expect(decodedInput(tokenOwners, encoded)).toStrictEqual({
        token_address: address,
        order: "ASC",
        limit: 100
      })
    }
  })
})

describe("range", () => {
  it("may be 0, for upstreams that count from 0", () => {
    expect(decodedInput(contractNfts, { address, totalRanges: 3, range: 0 })).toStrictEqual({
      address,
      totalRanges: 3,
      range: 0
    })
    expect(inputIssues(contractNfts, { address, totalRanges: 0 }).map(([name]) => name)).toEqual([
      "totalRanges"
    ])
  })
})

describe("exchange", () => {
  it.each(["uniswapv3", "mm finance", address, "a name of the future", "../x?y=1"])(
    "accepts %j unchanged",
    (exchange) => {
      expect(decodedInput(tokenPrice, { address, exchange })).toStrictEqual({ address, exchange })
    }
  )

  it("rejects a lone surrogate", () => {
    expect(inputIssues(tokenPrice, { address, exchange: "\ud800" }).map(([name]) => name)).toEqual([
      "exchange"
    ])
  })
})

describe("a parameter with several values", () => {
  it.each([
    ["an array", [address, other]],
    ["an array in upper case", [address.toUpperCase(), other.toUpperCase()]],
    ["a comma-separated string", `${address},${other}`],
    ["a string with superfluous commas", `,${address},,${other},`],
    ["an array of comma-separated strings", [`${address},${other}`]],
    ["an array with empty strings", ["", address, "", other]]
  ])("is decoded from %s", (_, contract_addresses) => {
    expect(decodedInput(walletTransfers, { address, contract_addresses })).toStrictEqual({
      address,
      contract_addresses: [address, other]
    })
  })

  it("is decoded from a single value", () => {
    expect(decodedInput(walletTransfers, { address, contract_addresses: other })).toStrictEqual({
      address,
      contract_addresses: [other]
    })
  })

  it("keeps the order and duplicates", () => {
    expect(decodedInput(walletChains, { address, chains: ["base", "0x1", "BASE"] })).toStrictEqual({
      address,
      chains: ["base", "eth", "base"]
    })
  })

  it("reports the invalid value", () => {
    expect(inputIssues(walletChains, { address, chains: ["eth", 5] })).toEqual([
      ["chains.1", "expected a chain name or a hexadecimal chain ID, got 5"]
    ])
    expect(inputIssues(walletTransfers, { address, contract_addresses: [address, 5] }).map(([name]) => name))
      .toEqual([
        "contract_addresses.1"
      ])
  })
})

const operationsWithRange: ReadonlyArray<readonly [string, AnyOperation]> = [
  ["walletTransfers", walletTransfers],
  ["tokenTransfers", tokenTransfers],
  ["walletNftTrades", walletNftTrades]
]

const january = DateTime.unsafeMake("2024-01-01T00:00:00Z")
const february = DateTime.unsafeMake("2024-02-01T00:00:00Z")

describe.each(operationsWithRange)("a range of %s", (_, operation) => {
  const decode = (bounds: object): unknown => decodedInput(operation, { address, ...bounds })

  it.each([
    ["two blocks", { from_block: 1, to_block: "2" }, { from_block: 1, to_block: 2 }],
    ["the first block twice", { from_block: 0, to_block: 0 }, { from_block: 0, to_block: 0 }],
    ["two dates", { from_date: "2024-01-01", to_date: "Feb 1 2024" }, {
      from_date: january,
      to_date: february
    }],
    ["the same date twice", { from_date: "2024-01-01", to_date: january }, {
      from_date: january,
      to_date: january
    }],
    ["a block and a date", { from_block: 5, to_date: "2024-02-01" }, { from_block: 5, to_date: february }],
    ["a date and a block", { from_date: "2024-02-01", to_block: 5 }, { from_date: february, to_block: 5 }],
    ["a lower bound", { from_date: "2024-01-01" }, { from_date: january }],
    ["no bound", {}, {}]
  ])("decodes %s", (_, bounds, canonical) => {
    expect(decode(bounds)).toStrictEqual({ address, ...canonical })
  })

  it.each([
    ["the lower bound", { from_block: 5, from_date: "2024-01-01" }, { from_block: 5 }],
    ["the upper bound", { to_block: 5, to_date: "2024-01-01" }, { to_block: 5 }],
    ["a lower bound with an invalid date", { from_block: 5, from_date: "invalid" }, { from_block: 5 }],
    ["an upper bound with an invalid date", { to_block: "5", to_date: {} }, { to_block: 5 }],
    [
      "both bounds",
      { from_block: 1, from_date: "2024-02-01", to_block: 2, to_date: "2024-01-01" },
      { from_block: 1, to_block: 2 }
    ]
  ])("prefers the block for %s", (_, bounds, canonical) => {
    expect(decode(bounds)).toStrictEqual({ address, ...canonical })
  })

  it("uses the date if the block is empty", () => {
    expect(decode({ from_block: "", from_date: "2024-01-01" })).toStrictEqual({ address, from_date: january })
    expect(decode({ to_block: undefined, to_date: "2024-01-01" })).toStrictEqual({
      address,
      to_date: january
    })
  })

  it("is rejected if it is reversed", () => {
    expect(inputIssues(operation, { address, from_block: 20, to_block: 10 })).toEqual([
      ["from_block", "invalid range: from_block (20) is after to_block (10)"]
    ])
    expect(inputIssues(operation, { address, from_date: "2024-02-01", to_date: "2024-01-01" })).toEqual([[
      "from_date",
      "invalid range: from_date (2024-02-01T00:00:00.000Z) is after to_date (2024-01-01T00:00:00.000Z)"
    ]])
  })
})

describe("epoch seconds", () => {
  it.each([1704067200, "1704067200"])("are accepted by walletNftTrades: %j", (from_date) => {
    expect(decodedInput(walletNftTrades, { address, from_date })).toStrictEqual({
      address,
      from_date: january
    })
  })

  it.each(operationsWithRange.filter(([id]) => id !== "walletNftTrades"))(
    "are rejected by %s",
    (_, operation) => {
      for (const from_date of [1704067200, "1704067200"]) {
        expect(inputIssues(operation, { address, from_date }).map(([name]) => name)).toEqual(["from_date"])
      }
    }
  )
})
