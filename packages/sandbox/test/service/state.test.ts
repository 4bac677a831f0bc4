import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { SandboxService } from "../../src/Sandbox.ts"
import { dataUrl, decodePage, eth, examples, makeSandbox, send } from "./support.ts"

const { unindexedCollection } = examples
const path = `/nft/${unindexedCollection}`

describe("indexing", () => {
  it.effect("completes after a duration", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({ syncAfter: { duration: "30 seconds" } })
      const id = eth.nfts(unindexedCollection)[0]!.tokenId
      expect(yield* send(sandbox, dataUrl(`${path}/${id}`))).toMatchObject({ status: 404 })
      yield* TestClock.adjust("29 seconds")
      expect(yield* send(sandbox, dataUrl(`${path}/${id}`))).toMatchObject({ status: 200, text: "null" })
      expect(decodePage(yield* send(sandbox, dataUrl(`${path}/${id}/owners`))).status).toBe("SYNCING")
      yield* TestClock.adjust("1 second")
      expect(yield* send(sandbox, dataUrl(`${path}/${id}`))).toMatchObject({
        document: { token_id: String(id) }
      })
    }))

  it.effect("completes on completeIndexing", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      yield* sandbox.completeIndexing("eth", unindexedCollection)
      expect(decodePage(yield* send(sandbox, dataUrl(path))).status).toBe("SYNCED")
    }))
})

describe("block time", () => {
  const { busyWallet } = examples
  const transfers = dataUrl(`/${busyWallet}/erc20/transfers`, {
    limit: 100,
    from_block: eth.head + 1,
    order: "ASC"
  })
  const newTransfers = (sandbox: SandboxService) => Effect.map(send(sandbox, transfers), decodePage)

  it.effect("adds a block to every chain each time it passes", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({ blockTime: "2 seconds" })
      const heads = Effect.map(sandbox.chains, (chains) => Array.from(chains.values(), ({ head }) => head))
      const before = yield* heads
      yield* TestClock.adjust("1999 millis")
      expect(yield* heads).toEqual(before)
      yield* TestClock.adjust("1 millis")
      expect(yield* heads).toEqual(before.map((head) => head + 1))
      yield* TestClock.adjust("9 seconds")
      expect(yield* heads).toEqual(before.map((head) => head + 5))
    }))

  it.effect("adds the same records as addBlocks, and those of earlier blocks stay", () =>
    Effect.gen(function*() {
      const timed = yield* makeSandbox({ blockTime: "1 second" })
      expect((yield* newTransfers(timed)).result).toEqual([])
      yield* TestClock.adjust("3 seconds")
      const first = yield* newTransfers(timed)
      expect(first.result.length).toBeGreaterThan(0)
      yield* TestClock.adjust("4 seconds")
      const second = yield* newTransfers(timed)
      expect(second.result.slice(0, first.result.length)).toEqual(first.result)
      expect(second.result.length).toBeGreaterThan(first.result.length)
      const added = yield* makeSandbox()
      yield* added.addBlocks("eth", 7)
      expect((yield* newTransfers(added)).result).toEqual(second.result)
    }))
})
