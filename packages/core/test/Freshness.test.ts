import { byUpperBlock, For, Forever, Never, unlessSyncing, UpTo } from "@blockquarry/core/Freshness"
import { describe, expect, it } from "@effect/vitest"

describe("byUpperBlock", () => {
  it("keeps an answer at the head for seconds", () => {
    expect(byUpperBlock({})).toEqual(For({ duration: "5 seconds" }))
    expect(byUpperBlock({ to_block: undefined })).toEqual(For({ duration: "5 seconds" }))
  })

  it.each([0, 19000000])("keeps an answer up to block %s for an hour once that block is settled", (block) => {
    expect(byUpperBlock({ to_block: block })).toEqual(UpTo({ block, settled: "1 hour", young: "5 seconds" }))
  })
})

describe("unlessSyncing", () => {
  it.each([
    ["SYNCED", { status: "SYNCED", result: [1] }],
    ["of no status", { status: null, result: [1] }],
    ["of another status", { status: "PAUSED", result: [1] }]
  ])("keeps a page for seconds that is %s", (_, page) => {
    expect(unlessSyncing(page)).toEqual(For({ duration: "5 seconds" }))
  })

  it.each([
    ["SYNCING", { status: "SYNCING", result: [1] }],
    ["SYNCING and empty", { status: "SYNCING", result: [] }],
    ["empty", { status: "SYNCED", result: [] }],
    ["empty and of no status", { status: null, result: [] }]
  ])("keeps no page that is %s", (_, page) => {
    expect(unlessSyncing(page)).toEqual(Never())
  })
})

describe("the four kinds", () => {
  it("are told apart by their tag", () => {
    const kinds = [
      Forever(),
      For({ duration: 1 }),
      UpTo({ block: 1, settled: 1, young: 1 }),
      Never()
    ]
    expect(kinds.map(({ _tag }) => _tag)).toEqual(["Forever", "For", "UpTo", "Never"])
  })
})
