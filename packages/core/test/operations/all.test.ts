/** Properties of all operations. */
import { isList, pathPrefix } from "@blockquarry/core/Operation"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { fixture, nullPaths } from "../support/fixture.ts"

/** In alphabetical order. */
const operations: ReadonlyArray<AnyOperation> = allOperations.toSorted((a, b) => a.id < b.id ? -1 : 1)

/** The operations of the specification: ID, API, method, full path, and parameters, of which required ones have a `*`. */
const specified = [
  ["walletTransfers", "data", "GET", "/api/v2.2/:address/erc20/transfers", [
    "address*",
    "chain",
    "contract_addresses",
    "cursor",
    "from_block",
    "from_date",
    "limit",
    "order",
    "to_block",
    "to_date"
  ]],
  ["tokenTransfers", "data", "GET", "/api/v2.2/erc20/:address/transfers", [
    "address*",
    "chain",
    "cursor",
    "from_block",
    "from_date",
    "limit",
    "order",
    "to_block",
    "to_date"
  ]],
  ["contractNfts", "data", "GET", "/api/v2.2/nft/:address", [
    "address*",
    "chain",
    "cursor",
    "format",
    "limit",
    "media_items",
    "normalizeMetadata",
    "range",
    "totalRanges"
  ]],
  ["nftOwners", "data", "GET", "/api/v2.2/nft/:address/:token_id/owners", [
    "address*",
    "chain",
    "cursor",
    "format",
    "limit",
    "media_items",
    "normalizeMetadata",
    "token_id*"
  ]],
  ["walletNftTrades", "data", "GET", "/api/v2.2/wallets/:address/nfts/trades", [
    "address*",
    "chain",
    "cursor",
    "from_block",
    "from_date",
    "limit",
    "to_block",
    "to_date"
  ]],
  ["tokenOwners", "data", "GET", "/api/v2.2/erc20/:token_address/owners", [
    "chain",
    "cursor",
    "limit",
    "order",
    "token_address*"
  ]],
  ["nftMetadata", "data", "GET", "/api/v2.2/nft/:address/:token_id", [
    "address*",
    "chain",
    "format",
    "media_items",
    "normalizeMetadata",
    "token_id*"
  ]],
  ["tokenPrice", "data", "GET", "/api/v2.2/erc20/:address/price", [
    "address*",
    "chain",
    "exchange",
    "include",
    "to_block"
  ]],
  ["walletChains", "data", "GET", "/api/v2.2/wallets/:address/chains", ["address*", "chains"]],
  ["updateStreamStatus", "streams", "POST", "/streams/evm/:id/status", ["id*", "status*"]],
  ["ledgerTransaction", "ledger", "GET", "/transactions/by_hash/:txn_hash", ["txn_hash*"]]
] as const

describe("the operations", () => {
  it("are the eleven of the specification, with its paths and parameters", () => {
    const actual = operations.map(({ api, id, method, parameters, path }) => [
      id,
      api,
      method,
      `${pathPrefix[api]}${path}`,
      parameters.map(({ name, required }) => required ? `${name}*` : name).sort()
    ])
    expect(actual).toEqual(specified.toSorted(([a], [b]) => a < b ? -1 : 1))
  })

  it("are list operations if the specification has pages", () => {
    expect(operations.filter(isList).map(({ id }) => id)).toEqual([
      "contractNfts",
      "nftOwners",
      "tokenOwners",
      "tokenTransfers",
      "walletNftTrades",
      "walletTransfers"
    ])
  })

  it("document the wrong order of holders and that first requests start the indexing", () => {
    const issues = operations.filter(({ docs }) => docs.knownIssue !== undefined).map(({ docs, id }) => [
      id,
      docs.knownIssue
    ])
    expect(issues).toEqual([
      ["contractNfts", expect.stringMatching(/indexing/)],
      ["nftMetadata", expect.stringMatching(/indexing/)],
      ["nftOwners", expect.stringMatching(/indexing/)],
      ["tokenOwners", expect.stringMatching(/chains other than eth/)]
    ])
  })
})

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const document = fixture(id)

  it("has a description of the operation and of each parameter", () => {
    expect(operation.docs.summary).toMatch(/^[A-Z0-9].{10,}[^.]$/)
    for (const { description, jsonSchema, name } of operation.parameters) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^.{5,}[^.]$/)])
      expect([name, jsonSchema.type]).toEqual([
        name,
        expect.stringMatching(/^(?:string|integer|boolean|array)$/)
      ])
    }
  })

  it("has path parameters in the path and the others in the query or body", () => {
    for (const parameter of operation.parameters) {
      const inPath = operation.path.split("/").includes(`:${parameter.name}`)
      expect(parameter.in).toBe(inPath ? "path" : operation.method === "GET" ? "query" : "body")
      if (inPath) expect(parameter.required).toBe(true)
    }
    const placeholders = operation.path.match(/:\w+/g) ?? []
    expect(operation.parameters.filter((parameter) => parameter.in === "path")).toHaveLength(
      placeholders.length
    )
  })

  it("has a positive cost, and is always retried only if it is a GET", () => {
    expect(operation.cost).toBeGreaterThan(0)
    expect(Number.isInteger(operation.cost)).toBe(true)
    expect(operation.retry).toBe(operation.method === "GET" ? "always" : "if-not-applied")
  })

  it("decodes and encodes a response with every field of the specification", () => {
    const output: unknown = Schema.decodeUnknownSync(operation.output)(document)
    const encoded: unknown = Schema.encodeSync(operation.output)(output)
    expect(Schema.decodeUnknownSync(operation.output)(encoded)).toEqual(output)
  })

  it("ignores unknown fields", () => {
    const output: unknown = Schema.decodeUnknownSync(operation.output)(document)
    const extendedOutput = Schema.decodeUnknownSync(operation.output)(extended(document))
    expect(extendedOutput).toEqual(output)
  })

  it.each([
    ["an empty object", {}],
    ["an error object", { message: "Something went wrong", error_code: "x", statusCode: 500 }],
    ["null", null],
    ["an array", [document]],
    ["a string", "<html></html>"],
    ["a number", 5],
    ["true", true]
  ])("rejects %s as a response", (_, other) => {
    expect(Either.isLeft(Schema.decodeUnknownEither(operation.output)(other))).toBe(true)
  })

  it("reports not found only for null as the response of nftMetadata", () => {
    expect(operation.isNotFound(() => null)).toBe(id === "nftMetadata")
    for (const other of [document, {}, [], "", 0, undefined]) {
      expect(operation.isNotFound(() => other)).toBe(false)
    }
  })
})

/** A copy of the document with an additional field in every object of the API schema. */
function extended(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(extended)
  if (typeof document !== "object" || document === null) return document
  const openMembers = new Set(["metadata", "normalized_metadata", "media", "components", "filter", "inputs"])
  return {
    future_member: { deep: [1] },
    ...Object.fromEntries(
      Object.entries(document).map(([key, member]) => [key, openMembers.has(key) ? member : extended(member)])
    )
  }
}

describe("the fields of a response", () => {
  /** Fields of the model that are not in the specification. */
  const unspecified: Readonly<Record<string, ReadonlyArray<string>>> = {
    walletTransfers: ["result.0.verified_contract"],
    tokenTransfers: ["total", "result.0.verified_contract"],
    contractNfts: ["total", "status"],
    nftOwners: ["total"],
    walletNftTrades: ["total"],
    tokenOwners: ["total"]
  }

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    "are all decoded: %s",
    (id, operation) => {
      const output: unknown = Schema.decodeUnknownSync(operation.output)(fixture(id))
      const encoded: unknown = Schema.encodeSync(operation.output)(output)
      expect([...nullPaths(encoded)].sort()).toEqual([...unspecified[id] ?? []].sort())
      expect(members(encoded)).toEqual(expect.arrayContaining([...members(fixture(id))]))
    }
  )
})

/** The names of all fields in a document. */
function members(value: unknown): ReadonlyArray<string> {
  if (typeof value !== "object" || value === null) return []
  const ownMembers = Array.isArray(value) ? [] : Object.keys(value)
  return [...new Set([...ownMembers, ...Object.values(value).flatMap(members)])]
}
