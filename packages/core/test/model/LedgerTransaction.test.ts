import type * as Decoder from "@blockquarry/core/Decoder"
import { LedgerTransaction } from "@blockquarry/core/model/LedgerTransaction"
import { ledgerTransaction } from "@blockquarry/core/operations/ledgerTransaction"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { ledgerDocuments, lostMembers, orderlessDocument } from "../support/ledgerDocuments.ts"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`

describe.each([
  "pending_transaction",
  "user_transaction",
  "genesis_transaction",
  "block_metadata_transaction",
  "state_checkpoint_transaction",
  "validator_transaction",
  "block_epilogue_transaction"
])("a %s", (type) => {
  const { hash: _, type: decodedType, ...others } = decode(LedgerTransaction, { type, hash })

  it("requires only hash and type, and all its other fields may be null", () => {
    expect(decodedType).toBe(type)
    expect(new Set(Object.values(others))).toEqual(new Set([null]))
    expect(decode(LedgerTransaction, { type, hash, ...others })).toStrictEqual({ type, hash, ...others })
  })

  it("is rejected with an invalid listed field, and not decoded as another variant", () => {
    // Committed variants have no field that the specification lists.
    const isListed = "sequence_number" in others
    for (const invalid of [-1, 1.5, "x", {}, "18446744073709551616"]) {
      const document = { type, hash, sequence_number: invalid }
      expect(isDecodable(LedgerTransaction, document)).toBe(!isListed)
      if (isListed) expect(decodeIssues(LedgerTransaction, document)).toContain("sequence_number: ")
    }
  })
})

it.each([{}, { type: null }, { type: undefined }])(
  "a transaction is pending without a type: %j",
  (members) => {
    const pending = decode(LedgerTransaction, { type: "pending_transaction", hash })
    expect(decode(LedgerTransaction, { hash, ...members })).toStrictEqual(pending)
  }
)

describe("encoding a decoded transaction", () => {
  const decodeStrictly = (document: unknown) => {
    const unreadable: Decoder.Unreadable = []
    const transaction = Either.getOrThrow(ledgerTransaction.decode(document, unreadable))
    expect(unreadable).toEqual([])
    return transaction
  }

  it.each(ledgerDocuments)("loses no member of %s", (_, document) => {
    const transaction = decodeStrictly(document)
    expect(lostMembers(document, ledgerTransaction.encode(transaction))).toEqual([])
    expect(lostMembers(document, encode(LedgerTransaction, transaction))).toEqual([])
  })
})

it("identifies an orderless transaction by its nonce, a fact", () => {
  expect(decode(LedgerTransaction, orderlessDocument)).toMatchObject({
    sequence_number: 18446744073709551615n,
    replay_protection_nonce: 18446744073709551614n
  })
  for (const invalid of ["18446744073709551616", -1, "x"]) {
    const document = { ...orderlessDocument, replay_protection_nonce: invalid }
    expect(decodeIssues(LedgerTransaction, document)).toContain("replay_protection_nonce: ")
  }
})

describe("a transaction of an unknown variant", () => {
  const document = { type: "future_transaction", hash: hash.toUpperCase(), version: -1, deep: [{ a: null }] }

  it("is decoded and encoded unchanged", () => {
    const transaction = decode(LedgerTransaction, document)
    expect(transaction).toStrictEqual({ type: "other", hash, document })
    expect(encode(LedgerTransaction, transaction)).toStrictEqual(document)
    expect(decode(LedgerTransaction, encode(LedgerTransaction, transaction))).toEqual(transaction)
  })

  it.each(["other", "", "USER_TRANSACTION"])("may have the type %j", (type) => {
    expect(decode(LedgerTransaction, { type, hash })).toMatchObject({ type: "other", document: { type } })
  })

  it.each([
    ["no hash", { type: "future_transaction" }],
    ["an invalid hash", { type: "future_transaction", hash: "0x1" }],
    ["a type that is not a string", { type: 5, hash }]
  ])("is rejected with %s", (_, document) => {
    expect(isDecodable(LedgerTransaction, document)).toBe(false)
  })
})
