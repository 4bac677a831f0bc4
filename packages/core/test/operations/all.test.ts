/** Properties of all operations. */
import type { Unreadable } from "@blockquarry/core/Decoder"
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { type AnyOperation, identityOf, isList, maxCost } from "@blockquarry/core/Operation"
import { allOperations, ledgerTransaction, walletTransfers } from "@blockquarry/core/Operations"
import { NoStore, noStoreWhileSyncing } from "@blockquarry/core/Ttl"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { fixture } from "../support/fixture.ts"

/** In alphabetical order. */
const operations: ReadonlyArray<AnyOperation> = allOperations.toSorted((a, b) => a.id < b.id ? -1 : 1)

describe("the operations", () => {
  it("say which members identify a record, of which a null one leaves it without an identity", () => {
    const identities = operations.flatMap((operation) =>
      isList(operation) ? [[operation.id, operation.pagination.identity]] : []
    )
    expect(Object.fromEntries(identities)).toEqual({
      contractNfts: ["token_address", "token_id"],
      nftOwners: ["token_address", "token_id", "owner_of"],
      tokenOwners: ["owner_address"],
      tokenTransfers: ["transaction_hash", "log_index"],
      walletNftTrades: undefined,
      walletTransfers: ["transaction_hash", "log_index"]
    })
    const transfer = Erc20Transfer.example({ log_index: 3 })
    expect(identityOf(walletTransfers.pagination, transfer)).toBe(`${transfer.transaction_hash}:3`)
    expect(identityOf(walletTransfers.pagination, { ...transfer, log_index: null })).toBeNull()
    expect(identityOf({}, transfer)).toBeNull()
    expect(identityOf({ identity: ["a"] }, { a: { b: 1 } })).toBeNull()
    expect(identityOf({ identity: ["a"] }, {})).toBeNull()
  })

  it("give records with other members other identities", () => {
    const record = FastCheck.record({ a: FastCheck.string(), b: FastCheck.string() })
    const parts = FastCheck.constantFrom(":", "\\", "::", "a:", ":a", "\\:", "")
    const member = FastCheck.record({ a: parts, b: parts })
    FastCheck.assert(FastCheck.property(
      FastCheck.oneof(record, member),
      FastCheck.oneof(record, member),
      (one, other) => {
        const [id, otherId] = [one, other].map((record) => identityOf({ identity: ["a", "b"] }, record))
        expect(id === otherId).toBe(one.a === other.a && one.b === other.b)
      }
    ))
  })

  it("are not cached for long if a page cannot be read", () => {
    for (const page of [null, [], "SYNCED", { result: "no list" }]) {
      expect(noStoreWhileSyncing({}, () => page)).toEqual(NoStore())
    }
    expect(noStoreWhileSyncing({}, () => ({ result: [{ token_id: "not a number" }] }))._tag).toBe("MaxAge")
  })
})

it("no operation costs more than maxCost", () => {
  expect(Math.max(...operations.map(({ cost }) => cost))).toBe(maxCost)
})

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const document = fixture(id)

  it("is read with unknown fields, which only transactions of the ledger keep", () => {
    const output: unknown = Schema.decodeUnknownSync(operation.output)(document)
    const extendedOutput = Schema.decodeUnknownSync(operation.output)(extended(document))
    const kept = operation.id === ledgerTransaction.id ? extended(output) : output
    expect(extendedOutput).toEqual(kept)
  })

  it("has all its fields decoded, and encoded again", () => {
    const unreadable: Unreadable = []
    const output: unknown = Either.getOrThrow(operation.decode(document, unreadable))
    expect(unreadable).toEqual([])
    expect(members(operation.encode(output))).toEqual(expect.arrayContaining([...members(document)]))
  })

  it.each([
    ["an empty object", {}],
    ["an error object", { message: "Something went wrong", error_code: "x", statusCode: 500 }],
    ["an array", [document]],
    ["a string", "<html></html>"],
    ["a document that throws on conversion to a string", { toString: null }],
    ["such a type", { type: { toString: null } }],
    ["such fields", { id: { toString: null }, status: { toString: null }, result: [{ toString: null }] }]
  ])("rejects %s as a response", (_, other) => {
    expect(Either.isLeft(operation.decode(other))).toBe(true)
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

/** The names of all fields in a document. */
function members(value: unknown): ReadonlyArray<string> {
  if (typeof value !== "object" || value === null) return []
  const ownMembers = Array.isArray(value) ? [] : Object.keys(value)
  return [...new Set([...ownMembers, ...Object.values(value).flatMap(members)])]
}
