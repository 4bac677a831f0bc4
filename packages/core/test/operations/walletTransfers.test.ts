import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { describe, expect, it } from "@effect/vitest"
import { decode } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`

const [first, second, withoutLogIndex] = decode(walletTransfers.output, {
  result: [
    { transaction_hash: hash, block_number: 7, log_index: 0 },
    { transaction_hash: hash.toUpperCase(), block_number: 7, log_index: 1 },
    { transaction_hash: hash, block_number: 8 }
  ]
}).result

describe("pagination of a wallet's transfers by block", () => {
  const byBlock = walletTransfers.pagination.byBlock

  it("identifies a transfer by transaction hash in any case and log index", () => {
    expect(first && byBlock?.identity(first)).toBe(`${hash}:0`)
    expect(second && byBlock?.identity(second)).toBe(`${hash}:1`)
  })

  it("does not identify a transfer without a log index", () => {
    expect(withoutLogIndex && byBlock?.identity(withoutLogIndex)).toBeNull()
  })

  it("returns the block of a transfer", () => {
    expect([first, second, withoutLogIndex].map((transfer) => transfer && byBlock?.block(transfer))).toEqual([
      7,
      7,
      8
    ])
  })

  it("exists only for this operation: the others have cursors", () => {
    expect(
      allOperations.filter((operation) => isList(operation) && operation.pagination.byBlock !== undefined)
        .map(({ id }) => id)
    )
      .toEqual(["walletTransfers"])
  })
})
