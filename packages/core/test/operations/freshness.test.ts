/** How long the answers of the operations stay true. */
import { For, Forever, Never, UpTo } from "@blockquarry/core/Freshness"
import { contractNfts } from "@blockquarry/core/operations/contractNfts"
import { ledgerTransaction } from "@blockquarry/core/operations/ledgerTransaction"
import { nftMetadata } from "@blockquarry/core/operations/nftMetadata"
import { nftOwners } from "@blockquarry/core/operations/nftOwners"
import { tokenOwners } from "@blockquarry/core/operations/tokenOwners"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { tokenTransfers } from "@blockquarry/core/operations/tokenTransfers"
import { updateStreamStatus } from "@blockquarry/core/operations/updateStreamStatus"
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { walletNftTrades } from "@blockquarry/core/operations/walletNftTrades"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { describe, expect, it } from "@effect/vitest"
import { asked } from "../support/asking.ts"
import { read } from "../support/schema.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"ab".repeat(32)}`

const seconds = For({ duration: "5 seconds" })
const minutes = For({ duration: "5 minutes" })
const upTo = (block: number) => UpTo({ block, settled: "1 hour", young: "5 seconds" })

/** Where the answer does not matter it must not be looked at: reading it costs. */
const unread = (): never => {
  throw new Error("the answer was read")
}

describe("a list or a price", () => {
  it("at the head is true for seconds", () => {
    expect(walletTransfers.freshness(asked(walletTransfers, { address, from_block: 5 }), unread)).toEqual(
      seconds
    )
    expect(tokenTransfers.freshness(asked(tokenTransfers, { address, from_block: 5 }), unread)).toEqual(
      seconds
    )
    expect(walletNftTrades.freshness(asked(walletNftTrades, { address, from_block: 5 }), unread)).toEqual(
      seconds
    )
    expect(tokenPrice.freshness(asked(tokenPrice, { address }), unread)).toEqual(seconds)
    expect(tokenOwners.freshness(asked(tokenOwners, { token_address: address }), unread)).toEqual(seconds)
    expect(walletChains.freshness(asked(walletChains, { address }), unread)).toEqual(seconds)
  })

  it("up to a block is true for longer once that block is settled", () => {
    const bounded = { address, to_block: 7, to_date: "2024-01-01" }
    expect(walletTransfers.freshness(asked(walletTransfers, bounded), unread)).toEqual(upTo(7))
    expect(tokenTransfers.freshness(asked(tokenTransfers, bounded), unread)).toEqual(upTo(7))
    expect(walletNftTrades.freshness(asked(walletNftTrades, bounded), unread)).toEqual(upTo(7))
    expect(tokenPrice.freshness(asked(tokenPrice, { address, to_block: 0 }), unread)).toEqual(upTo(0))
  })

  it("up to a date says nothing of a block", () => {
    const bounded = { address, to_date: "2020-01-01" }
    expect(walletTransfers.freshness(asked(walletTransfers, bounded), unread)).toEqual(seconds)
  })
})

describe("an answer about NFTs", () => {
  const nft = { token_address: address, token_id: "1" }

  it.each([
    [{ status: "SYNCED", result: [nft] }, seconds],
    [{ result: [nft] }, seconds],
    [{ status: "SYNCING", result: [nft] }, Never()],
    [{ status: "SYNCED", result: [] }, Never()],
    [{ result: [], cursor: "more" }, Never()]
  ])("of a contract, %j, is kept so", (page, freshness) => {
    const contract = asked(contractNfts, { address })
    expect(contractNfts.freshness(contract, () => read(contractNfts.output, page))).toEqual(freshness)
    const token = asked(nftOwners, { address, token_id: 1n })
    expect(nftOwners.freshness(token, () => read(nftOwners.output, page))).toEqual(freshness)
  })

  it("that is metadata is true for minutes", () => {
    expect(nftMetadata.freshness(asked(nftMetadata, { address, token_id: "1" }), unread)).toEqual(minutes)
  })
})

describe("a transaction of the ledger", () => {
  const input = asked(ledgerTransaction, { txn_hash: hash })
  const freshness = (type: string | undefined) =>
    ledgerTransaction.freshness(input, () => read(ledgerTransaction.output, { hash, type }))

  it.each([
    "user_transaction",
    "genesis_transaction",
    "block_metadata_transaction",
    "state_checkpoint_transaction",
    "validator_transaction",
    "block_epilogue_transaction"
  ])("that is committed never changes: %s", (type) => {
    expect(freshness(type)).toEqual(Forever())
  })

  it.each([undefined, "pending_transaction", "future_transaction", "other"])(
    "that may still change is not kept: %s",
    (type) => {
      expect(freshness(type)).toEqual(Never())
    }
  )
})

describe("a change", () => {
  it("is never kept", () => {
    expect(updateStreamStatus.freshness(asked(updateStreamStatus, { id: "1", status: "active" }), unread))
      .toEqual(
        Never()
      )
  })
})
