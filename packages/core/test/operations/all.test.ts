/** What every operation has, and what makes the eleven one service. */
import { isList, pathPrefix } from "@blockquarry/core/Operation"
import type { AnyOperation } from "@blockquarry/core/Operation"
import {
  allOperations,
  dataOperations,
  ledgerOperations,
  streamsOperations
} from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { fixture, nullPaths } from "../support/fixture.ts"

const operations: ReadonlyArray<AnyOperation> = allOperations

/** The operations of the specification: id, API, method, full path, and parameters with those that are required. */
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
    const stated = operations.map(({ api, id, method, parameters, path }) => [
      id,
      api,
      method,
      `${pathPrefix[api]}${path}`,
      parameters.map(({ name, required }) => required ? `${name}*` : name).sort()
    ])
    expect(stated).toEqual(specified)
  })

  it("have the ids under which their API lists them", () => {
    for (const operation of [dataOperations, streamsOperations, ledgerOperations]) {
      for (const [key, { id }] of Object.entries(operation)) expect(id).toBe(key)
    }
    expect(Object.values(dataOperations).map(({ api }) => api)).toEqual(
      Array.from({ length: 9 }, () => "data")
    )
    expect(streamsOperations.updateStreamStatus.api).toBe("streams")
    expect(ledgerOperations.ledgerTransaction.api).toBe("ledger")
  })

  it("are lists where the specification has an envelope", () => {
    expect(operations.filter(isList).map(({ id }) => id)).toEqual([
      "walletTransfers",
      "tokenTransfers",
      "contractNfts",
      "nftOwners",
      "walletNftTrades",
      "tokenOwners"
    ])
  })

  it("say that the order of holders is faulty, and that first reads start the indexing", () => {
    const issues = operations.filter(({ docs }) => docs.knownIssue !== undefined).map(({ docs, id }) => [
      id,
      docs.knownIssue
    ])
    expect(issues).toEqual([
      ["contractNfts", expect.stringMatching(/indexing/)],
      ["nftOwners", expect.stringMatching(/indexing/)],
      ["tokenOwners", expect.stringMatching(/every chain but eth/)],
      ["nftMetadata", expect.stringMatching(/indexing/)]
    ])
  })
})

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const document = fixture(id)

  it("is described, and so is each of its parameters", () => {
    expect(operation.docs.summary).toMatch(/^[A-Z0-9].{10,}[^.]$/)
    for (const { description, jsonSchema, name } of operation.parameters) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^.{5,}[^.]$/)])
      expect([name, jsonSchema.type]).toEqual([
        name,
        expect.stringMatching(/^(?:string|integer|boolean|array)$/)
      ])
    }
  })

  it("puts its parameters where the request has a place for them", () => {
    for (const parameter of operation.parameters) {
      const inPath = operation.path.split("/").includes(`:${parameter.name}`)
      expect(parameter.in).toBe(inPath ? "path" : operation.method === "GET" ? "query" : "body")
      if (inPath) expect(parameter.required).toBe(true)
    }
    const steps = operation.path.match(/:\w+/g) ?? []
    expect(operation.parameters.filter((parameter) => parameter.in === "path")).toHaveLength(steps.length)
  })

  it("costs something, and is repeated freely only when it changes nothing", () => {
    expect(operation.cost).toBeGreaterThan(0)
    expect(Number.isInteger(operation.cost)).toBe(true)
    expect(operation.retry).toBe(operation.method === "GET" ? "always" : "if-not-applied")
  })

  it("reads an answer with every member of the specification, and writes it back", () => {
    const answer: unknown = Schema.decodeUnknownSync(operation.output)(document)
    const written: unknown = Schema.encodeSync(operation.output)(answer)
    expect(Schema.decodeUnknownSync(operation.output)(written)).toEqual(answer)
  })

  it("ignores members that it does not know", () => {
    const answer: unknown = Schema.decodeUnknownSync(operation.output)(document)
    const more = Schema.decodeUnknownSync(operation.output)(extended(document))
    expect(more).toEqual(answer)
  })

  it.each([
    ["an empty object", {}],
    ["an error object", { message: "Something went wrong", error_code: "x", statusCode: 500 }],
    ["null", null],
    ["a list", [document]],
    ["text", "<html></html>"],
    ["a number", 5],
    ["true", true]
  ])("takes %s for no answer", (_, other) => {
    expect(Either.isLeft(Schema.decodeUnknownEither(operation.output)(other))).toBe(true)
  })

  it("says that a thing is absent only where the service answers null", () => {
    expect(operation.isNotFound(null)).toBe(id === "nftMetadata")
    for (const other of [document, {}, [], "", 0, undefined]) expect(operation.isNotFound(other)).toBe(false)
  })
})

/** The same document with a member more in every object that is a part of the interface. */
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

describe("the members of an answer", () => {
  /** What the specification does not show, and the model has from the field. */
  const unspecified: Readonly<Record<string, ReadonlyArray<string>>> = {
    walletTransfers: ["result.0.verified_contract"],
    tokenTransfers: ["total", "result.0.verified_contract"],
    contractNfts: ["total", "status"],
    nftOwners: ["total"],
    walletNftTrades: ["total"],
    tokenOwners: ["total"]
  }

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    "are all read: %s",
    (id, operation) => {
      const answer: unknown = Schema.decodeUnknownSync(operation.output)(fixture(id))
      const written: unknown = Schema.encodeSync(operation.output)(answer)
      expect([...nullPaths(written)].sort()).toEqual([...unspecified[id] ?? []].sort())
      expect(members(written)).toEqual(expect.arrayContaining([...members(fixture(id))]))
    }
  )
})

/** The names of the members of every object in a document. */
function members(value: unknown): ReadonlyArray<string> {
  if (typeof value !== "object" || value === null) return []
  const ownMembers = Array.isArray(value) ? [] : Object.keys(value)
  return [...new Set([...ownMembers, ...Object.values(value).flatMap(members)])]
}
