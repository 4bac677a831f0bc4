/** The TTLs of the responses of all operations. */
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
import { Immutable, MaxAge, NoStore, UpToBlock } from "@blockquarry/core/Ttl"
import { describe, expect, it } from "@effect/vitest"
import { decodedInput } from "../support/operationInputs.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"ab".repeat(32)}`

const seconds = MaxAge({ duration: "5 seconds" })
const minutes = MaxAge({ duration: "5 minutes" })
const upTo = (block: number) => UpToBlock({ block, finalizedTtl: "1 hour", recentTtl: "5 seconds" })

/** The document of a response whose TTL depends on the input only. */
const unparsed = (): never => expect.unreachable("the rule reads the document")

describe("a list or a price", () => {
  it("without to_block is fresh for seconds", () => {
    expect(walletTransfers.ttl(decodedInput(walletTransfers, { address, from_block: 5 }), unparsed))
      .toEqual(
        seconds
      )
    expect(tokenTransfers.ttl(decodedInput(tokenTransfers, { address, from_block: 5 }), unparsed))
      .toEqual(
        seconds
      )
    expect(walletNftTrades.ttl(decodedInput(walletNftTrades, { address, from_block: 5 }), unparsed))
      .toEqual(
        seconds
      )
    expect(tokenPrice.ttl(decodedInput(tokenPrice, { address }), unparsed)).toEqual(seconds)
    expect(tokenOwners.ttl(decodedInput(tokenOwners, { token_address: address }), unparsed)).toEqual(
      seconds
    )
    expect(walletChains.ttl(decodedInput(walletChains, { address }), unparsed)).toEqual(seconds)
  })

  it("with to_block is fresh for longer once that block is final", () => {
    const bounded = { address, to_block: 7, to_date: "2024-01-01" }
    expect(walletTransfers.ttl(decodedInput(walletTransfers, bounded), unparsed)).toEqual(upTo(7))
    expect(tokenTransfers.ttl(decodedInput(tokenTransfers, bounded), unparsed)).toEqual(upTo(7))
    expect(walletNftTrades.ttl(decodedInput(walletNftTrades, bounded), unparsed)).toEqual(upTo(7))
    expect(tokenPrice.ttl(decodedInput(tokenPrice, { address, to_block: 0 }), unparsed)).toEqual(upTo(0))
  })

  it("with to_date is fresh for seconds", () => {
    const bounded = { address, to_date: "2020-01-01" }
    expect(walletTransfers.ttl(decodedInput(walletTransfers, bounded), unparsed)).toEqual(seconds)
  })
})

describe("a response about NFTs", () => {
  const nft = { token_address: address, token_id: "1" }

  it.each([
    [{ status: "SYNCED", result: [nft] }, seconds],
    [{ result: [nft] }, seconds],
    [{ status: "SYNCING", result: [nft] }, NoStore()],
    [{ status: "SYNCED", result: [] }, NoStore()],
    [{ result: [], cursor: "more" }, NoStore()],
    [{ status: "SYNCED", result: [{ token_id: "not a number" }] }, seconds],
    [{ status: "SYNCED", result: "no list" }, NoStore()],
    [[], NoStore()],
    [null, NoStore()],
    [undefined, NoStore()]
  ])("of a contract, %j, has the expected TTL", (page, ttl) => {
    const contract = decodedInput(contractNfts, { address })
    expect(contractNfts.ttl(contract, () => page)).toEqual(ttl)
    const token = decodedInput(nftOwners, { address, token_id: 1n })
    expect(nftOwners.ttl(token, () => page)).toEqual(ttl)
  })

  it("with metadata is fresh for minutes", () => {
    expect(nftMetadata.ttl(decodedInput(nftMetadata, { address, token_id: "1" }), unparsed)).toEqual(
      minutes
    )
  })
})

describe("a transaction of the ledger", () => {
  const input = decodedInput(ledgerTransaction, { txn_hash: hash })
  const ttlOf = (type: string | undefined) => ledgerTransaction.ttl(input, () => ({ hash, type }))

  it.each([
    "user_transaction",
    "genesis_transaction",
    "block_metadata_transaction",
    "state_checkpoint_transaction",
    "validator_transaction",
    "block_epilogue_transaction"
  ])("is immutable if it is committed: %s", (type) => {
    expect(ttlOf(type)).toEqual(Immutable())
  })

  it.each([undefined, "pending_transaction", "future_transaction", "other"])(
    "is not stored if it may still change: %s",
    (type) => {
      expect(ttlOf(type)).toEqual(NoStore())
    }
  )
})

describe("an update", () => {
  it("is never stored", () => {
    expect(
      updateStreamStatus.ttl(decodedInput(updateStreamStatus, { id: "1", status: "active" }), unparsed)
    )
      .toEqual(
        NoStore()
      )
  })
})
