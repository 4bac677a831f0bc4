import { isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { describe, expect, it } from "@effect/vitest"
import { decode } from "../support/schema.ts"

const hash = `0x${"ab".repeat(32)}`

const [first, second, unnumbered] = decode(walletTransfers.output, {
  result: [
    { transaction_hash: hash, block_number: 7, log_index: 0 },
    { transaction_hash: hash.toUpperCase(), block_number: 7, log_index: 1 },
    { transaction_hash: hash, block_number: 8 }
  ]
}).result

describe("the walk of a wallet's transfers by block", () => {
  const walk = walletTransfers.pagination.byBlock

  it("knows a transfer by its transaction and log, in any case", () => {
    expect(first && walk?.identity(first)).toBe(`${hash}:0`)
    expect(second && walk?.identity(second)).toBe(`${hash}:1`)
  })

  it("knows no transfer without a log", () => {
    expect(unnumbered && walk?.identity(unnumbered)).toBeNull()
  })

  it("goes by the block of a transfer", () => {
    expect([first, second, unnumbered].map((transfer) => transfer && walk?.block(transfer))).toEqual([
      7,
      7,
      8
    ])
  })

  it("is for this list alone: the others have cursors", () => {
    expect(
      allOperations.filter((operation) => isList(operation) && operation.pagination.byBlock !== undefined)
        .map(({ id }) => id)
    )
      .toEqual(["walletTransfers"])
  })
})
