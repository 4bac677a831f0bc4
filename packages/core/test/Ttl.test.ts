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
  it("is seconds without to_block", () => {
    expect(ttlByToBlock({})).toEqual(MaxAge({ duration: "5 seconds" }))
    expect(ttlByToBlock({ to_block: undefined })).toEqual(MaxAge({ duration: "5 seconds" }))
  })

  it.each([0, 19000000])("is an hour for to_block %s once that block is final", (block) => {
    expect(ttlByToBlock({ to_block: block })).toEqual(
      UpToBlock({ block, finalizedTtl: "1 hour", recentTtl: "5 seconds" })
    )
  })
})

describe("noStoreWhileSyncing", () => {
  it.each([
    ["SYNCED", { status: "SYNCED", result: [1] }],
    ["without a status", { status: null, result: [1] }],
    ["in another status", { status: "PAUSED", result: [1] }]
  ])("is seconds for a page that is %s", (_, page) => {
    expect(noStoreWhileSyncing({}, () => page)).toEqual(MaxAge({ duration: "5 seconds" }))
  })

  it.each([
    ["SYNCING", { status: "SYNCING", result: [1] }],
    ["SYNCING and empty", { status: "SYNCING", result: [] }],
    ["empty", { status: "SYNCED", result: [] }],
    ["empty, without a status", { status: null, result: [] }],
    ["no page", "SYNCED"],
    ["without records", { status: "SYNCED" }]
  ])("is NoStore for a document that is %s", (_, page) => {
    expect(noStoreWhileSyncing({}, () => page)).toEqual(NoStore())
  })
})

describe("Ttl", () => {
  it("has four variants with distinct tags", () => {
    const variants = [
      Immutable(),
      MaxAge({ duration: 1 }),
      UpToBlock({ block: 1, finalizedTtl: 1, recentTtl: 1 }),
      NoStore()
    ]
    expect(variants.map(({ _tag }) => _tag)).toEqual(["Immutable", "MaxAge", "UpToBlock", "NoStore"])
  })
})
