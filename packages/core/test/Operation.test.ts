import { Address } from "@blockquarry/core/Address"
import { EvmChain } from "@blockquarry/core/Chain"
import { inputSchema, inQuery, optional } from "@blockquarry/core/InputSchema"
import { Integer } from "@blockquarry/core/Integer"
import { isList, maxCost, readByPost } from "@blockquarry/core/Operation"
import type { AnyOperation, Parameter } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { contractNfts } from "@blockquarry/core/operations/contractNfts"
import { nftMetadata } from "@blockquarry/core/operations/nftMetadata"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { updateStreamStatus } from "@blockquarry/core/operations/updateStreamStatus"
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { walletNftTrades } from "@blockquarry/core/operations/walletNftTrades"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const parameter = (operation: AnyOperation, name: string): Parameter | undefined =>
  operation.parameters.find((candidate) => candidate.name === name)

describe("a parameter of an operation", () => {
  it.each<readonly [string, AnyOperation, string, object]>([
    ["an address", walletTransfers, "address", { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }],
    ["a block", walletTransfers, "to_block", { type: "integer", minimum: 0 }],
    ["a page size", walletTransfers, "limit", { type: "integer", minimum: 1 }],
    ["an order", walletTransfers, "order", { type: "string", enum: ["ASC", "DESC"] }],
    ["an array", walletTransfers, "contract_addresses", {
      type: "array",
      items: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }
    }],
    ["a boolean", contractNfts, "media_items", { type: "boolean" }],
    ["a closed format", nftMetadata, "format", { type: "string", enum: ["decimal", "hex"] }],
    ["an open format", contractNfts, "format", { type: "string", examples: ["decimal", "hex"] }],
    ["an option", tokenPrice, "include", { type: "string", enum: ["percent_change"] }],
    ["a status", updateStreamStatus, "status", {
      type: "string",
      enum: ["active", "paused", "error", "terminated"]
    }]
  ])("has the JSON Schema of %s", (_, operation, name, jsonSchema) => {
    expect(parameter(operation, name)?.jsonSchema).toEqual(jsonSchema)
  })

  it("lists the chains of the operation, by name and by ID", () => {
    const listed = (operation: AnyOperation) => parameter(operation, "chain")?.jsonSchema.enum
    expect(listed(walletTransfers)).toHaveLength(50)
    expect(listed(tokenPrice)).toHaveLength(32)
    expect(listed(walletNftTrades)).toEqual([
      "eth",
      "0x1",
      "polygon",
      "0x89",
      "bsc",
      "0x38",
      "avalanche",
      "0xa86a",
      "arbitrum",
      "0xa4b1",
      "base",
      "0x2105",
      "optimism",
      "0xa"
    ])
    expect(parameter(walletChains, "chains")?.jsonSchema).toMatchObject({
      type: "array",
      items: { examples: listed(walletTransfers) }
    })
  })

  it("lists the fifteen exchanges of the specification", () => {
    expect(parameter(tokenPrice, "exchange")?.jsonSchema.examples).toEqual([
      "uniswapv2",
      "uniswapv3",
      "sushiswapv2",
      "pancakeswapv1",
      "pancakeswapv2",
      "pancakeswapv3",
      "quickswap",
      "quickswapv2",
      "traderjoe",
      "pangolin",
      "spookyswap",
      "vvs",
      "mm finance",
      "crodex",
      "camelotv2"
    ])
  })
})

describe("isList", () => {
  it("distinguishes list operations from the others", () => {
    expect([walletTransfers, contractNfts].every(isList)).toBe(true)
    expect([tokenPrice, nftMetadata, walletChains, updateStreamStatus].some(isList)).toBe(false)
  })
})

it.each(allOperations.map((operation) => [operation.id, operation] as const))(
  "%s rejects a document that throws on conversion to a string",
  (_, { decode }) => {
    const hostile = { toString: null }
    for (
      const document of [hostile, { type: hostile }, { id: hostile, status: hostile, result: [hostile] }]
    ) {
      expect(decode(document)._tag).toBe("Left")
    }
  }
)

it("maxCost is the highest cost of any operation", () => {
  expect(Math.max(...allOperations.map(({ cost }) => cost))).toBe(maxCost)
})

describe("readByPost", () => {
  const operation = readByPost({
    id: "erc20Prices",
    api: "data",
    path: "/erc20/:address/prices",
    input: inputSchema({
      address: Address,
      chain: optional(inQuery(EvmChain)),
      blocks: Schema.Array(Schema.Struct({ to_block: Integer }))
    }),
    output: Schema.Array(Schema.String),
    cost: 1,
    docs: { summary: "Get prices" }
  })

  it("sends marked parameters in the query, and the others in the body", () => {
    const address = `0x${"ab".repeat(20)}`
    const input = Either.getOrThrow(
      decodeInput(operation, { address, chain: "eth", blocks: [{ to_block: "5" }] })
    )
    expect(encodeRequest(operation, input)).toEqual({
      method: "POST",
      path: `/erc20/${address}/prices`,
      query: [["chain", "0x1"]],
      body: JSON.stringify({ blocks: [{ to_block: 5 }] })
    })
  })

  it("is retried like a read, and an update is not", () => {
    expect([operation.retry, updateStreamStatus.retry]).toEqual(["always", "if-not-applied"])
  })
})
