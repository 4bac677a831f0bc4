/** Tests pagination by block, request by request: parameters, the end of the list, and errors. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { address } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import * as TransferService from "../support/TransferService.ts"

const record = (block: number, id: number, log: number | null = id) => ({
  transaction_hash: `0x${id.toString(16).padStart(64, "0")}`,
  block_number: block,
  ...(log === null ? {} : { log_index: log })
})

const page = (...result: ReadonlyArray<unknown>) => ScriptedClient.json({ result })

const keysOf = (
  harness: TestClients.Harness,
  input: Parameters<TestClients.Harness["data"]["walletTransfers"]["items"]>[0]
) =>
  Effect.map(
    Stream.runCollect(harness.data.walletTransfers.items(input)),
    (records) => Chunk.toReadonlyArray(records).map(TransferService.recordKey)
  )

const queries = (harness: TestClients.Harness) => harness.requests.map(({ url }) => url.search)

describe("requests for pages by block", () => {
  it.effect("lower the upper bound and keep the lower bound", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        page(record(9, 1), record(8, 2)),
        page(record(8, 2), record(7, 3)),
        page(record(7, 3))
      ])
      expect(yield* keysOf(harness, { address, from_block: 5, to_date: "2024-01-01", limit: 2 }))
        .toEqual(["1:1", "2:2", "3:3"])
      expect(queries(harness)).toEqual([
        "?limit=2&from_block=5&to_date=2024-01-01T00%3A00%3A00.000Z",
        "?limit=2&from_block=5&to_block=8",
        "?limit=2&from_block=5&to_block=7"
      ])
    }))

  it.effect("raise the lower bound in ascending order", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        page(record(7, 3), record(8, 2)),
        page(record(8, 2), record(9, 1)),
        page(record(9, 1))
      ])
      expect(yield* keysOf(harness, { address, from_date: "2024-01-01", to_block: 9, order: "ASC" }))
        .toEqual(["3:3", "2:2", "1:1"])
      expect(queries(harness)).toEqual([
        "?order=ASC&from_date=2024-01-01T00%3A00%3A00.000Z&to_block=9",
        "?order=ASC&from_block=8&to_block=9",
        "?order=ASC&from_block=9&to_block=9"
      ])
    }))
})

describe("the first page", () => {
  it.effect("is fetched for an empty cursor, and further pages by block", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        page(record(9, 1), record(8, 2)),
        page(record(8, 2), record(7, 3)),
        page(record(7, 3))
      ])
      const { items } = harness.data.walletTransfers
      expect(yield* Stream.runCount(items({ address }, { cursor: "" }))).toBe(3)
    }))
})

describe("the end of the list", () => {
  it.effect("is a page that is complete by total, however long", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() =>
        ScriptedClient.json({ total: 1, result: [record(9, 1)] })
      )
      expect(yield* keysOf(harness, { address })).toEqual(["1:1"])
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is a null cursor, on the first or a later page", () =>
    Effect.gen(function*() {
      const first = yield* TestClients.harness([
        ScriptedClient.json({ cursor: null, result: [record(9, 1)] })
      ])
      expect(yield* keysOf(first, { address })).toEqual(["1:1"])
      const later = yield* TestClients.harness([
        page(record(9, 1), record(8, 2)),
        ScriptedClient.json({ cursor: null, result: [record(8, 2), record(7, 3)] })
      ])
      expect(yield* keysOf(later, { address })).toEqual(["1:1", "2:2", "3:3"])
      expect(later.requests).toHaveLength(2)
    }))
})

describe("records", () => {
  it.effect("stay deduplicated when the upstream switches to cursors with smaller pages", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        page(record(9, 1), record(8, 2), record(8, 3), record(8, 4, null)),
        ScriptedClient.json({ cursor: "a", result: [record(8, 2), record(8, 3)] }),
        ScriptedClient.json({ cursor: "b", result: [record(8, 4, null), record(8, 4, null)] }),
        ScriptedClient.json({ cursor: "c", result: [record(8, 4, null)] }),
        ScriptedClient.json({ result: [record(7, 5)] })
      ])
      const copies = ["4:null", "4:null", "4:null"]
      expect(yield* keysOf(harness, { address })).toEqual(["1:1", "2:2", "3:3", ...copies, "5:5"])
    }))

  it.effect("without identity are counted", () =>
    Effect.gen(function*() {
      const same = record(8, 2, null)
      const harness = yield* TestClients.harness([
        page(record(9, 1), same, same),
        page(same, same, same),
        page(same, same, same, record(7, 3)),
        page(record(7, 3))
      ])
      expect(yield* keysOf(harness, { address })).toEqual(["1:1", "2:null", "2:null", "2:null", "3:3"])
    }))

  it.effect("of one transaction are distinguished by their log index", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        page(record(9, 1, 1), record(8, 1, 2)),
        page(record(8, 1, 2), record(8, 1, 3)),
        page(record(8, 1, 2), record(8, 1, 3), record(7, 1, 4)),
        page(record(7, 1, 4))
      ])
      expect(yield* keysOf(harness, { address })).toEqual(["1:1", "1:2", "1:3", "1:4"])
    }))

  it.effect("are deduplicated in any order", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        page(record(9, 1), record(8, 2), record(8, 3)),
        page(record(8, 4), record(8, 3), record(8, 2)),
        page(record(8, 2), record(8, 4))
      ])
      expect(yield* keysOf(harness, { address })).toEqual(["1:1", "2:2", "3:3", "4:4"])
    }))
})

describe("pagination fails", () => {
  const invalid: ReadonlyArray<
    readonly [name: string, reason: string, replies: ReadonlyArray<ScriptedClient.ScriptedReply>]
  > = [
    ["when a block fills a page", "BlockOverflow", [
      page(record(9, 1), record(9, 2)),
      page(record(9, 1), record(9, 2))
    ]],
    ["when a block later fills a page", "BlockOverflow", [
      page(record(9, 1), record(8, 2)),
      page(record(8, 2), record(8, 3)),
      page(record(8, 2), record(8, 3))
    ]],
    ["when a block fills a page and the total is larger", "BlockOverflow", [
      page(record(9, 1), record(9, 2)),
      ScriptedClient.json({ total: 3, result: [record(9, 1), record(9, 2)] })
    ]],
    ["when blocks rise on a page", "OutOfOrder", [page(record(8, 1), record(9, 2))]],
    ["when blocks rise from page to page", "OutOfOrder", [
      page(record(9, 1), record(8, 2)),
      page(record(9, 3))
    ]]
  ]

  it.effect.each(invalid)("%s: %s", ([, reason, replies]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(replies)
      const error = yield* failureOf(keysOf(harness, { address }))
      expect(error).toMatchObject({ _tag: "PaginationError", operation: "walletTransfers", reason })
      expect(harness.requests).toHaveLength(replies.length)
    }))

  it.effect("when blocks decrease in ascending order", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([page(record(9, 1), record(8, 2))])
      expect(yield* failureOf(keysOf(harness, { address, order: "ASC" }))).toMatchObject({
        reason: "OutOfOrder"
      })
    }))

  it.effect("when a block is outside the requested range", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([page(record(9, 1), record(3, 2))])
      expect(yield* failureOf(keysOf(harness, { address, from_block: 5 }))).toMatchObject({
        _tag: "PaginationError",
        reason: "OutOfOrder"
      })
    }))
})
