import {
  Immutable,
  MaxAge,
  NoStore,
  noStoreWhileSyncing,
  ttlByToBlock,
  UpToBlock
} from "@blockquarry/core/Ttl"
import { describe, expect, it } from "@effect/vitest"

describe("ttlByToBlock", () => {
  it("keeps an answer at the head for seconds", () => {
    expect(ttlByToBlock({})).toEqual(MaxAge({ duration: "5 seconds" }))
    expect(ttlByToBlock({ to_block: undefined })).toEqual(MaxAge({ duration: "5 seconds" }))
  })

  it.each([0, 19000000])("keeps an answer up to block %s for an hour once that block is settled", (block) => {
    expect(ttlByToBlock({ to_block: block })).toEqual(
      UpToBlock({ block, finalizedTtl: "1 hour", recentTtl: "5 seconds" })
    )
  })
})

describe("noStoreWhileSyncing", () => {
  it.each([
    ["SYNCED", { status: "SYNCED", result: [1] }],
    ["of no status", { status: null, result: [1] }],
    ["of another status", { status: "PAUSED", result: [1] }]
  ])("keeps a page for seconds that is %s", (_, page) => {
    expect(noStoreWhileSyncing(page)).toEqual(MaxAge({ duration: "5 seconds" }))
  })

  it.each([
    ["SYNCING", { status: "SYNCING", result: [1] }],
    ["SYNCING and empty", { status: "SYNCING", result: [] }],
    ["empty", { status: "SYNCED", result: [] }],
    ["empty and of no status", { status: null, result: [] }]
  ])("keeps no page that is %s", (_, page) => {
    expect(noStoreWhileSyncing(page)).toEqual(NoStore())
  })
})

describe("the four kinds", () => {
  it("are told apart by their tag", () => {
    const kinds = [
      Immutable(),
      MaxAge({ duration: 1 }),
      UpToBlock({ block: 1, finalizedTtl: 1, recentTtl: 1 }),
      NoStore()
    ]
    expect(kinds.map(({ _tag }) => _tag)).toEqual(["Immutable", "MaxAge", "UpToBlock", "NoStore"])
  })
})
