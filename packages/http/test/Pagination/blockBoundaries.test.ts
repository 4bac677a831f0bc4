/** Tests pagination by block, page by page: parameters, the end of the list, duplicates, errors, and resume cursors. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { address, contract } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"
import * as TransferService from "../support/TransferService.ts"

type Input = Partial<Parameters<TestClients.Clients["data"]["walletTransfers"]["items"]>[0]>

const record = (block: number, id: number) => ({
  transaction_hash: `0x${id.toString(16).padStart(64, "0")}`,
  block_number: block,
  log_index: id
})

const page = (...result: ReadonlyArray<unknown>) => ScriptedClient.json({ result })
const pageWith = (fields: object, ...result: ReadonlyArray<unknown>) =>
  ScriptedClient.json({ ...fields, result })

const keysOf = ({ data }: TestClients.Harness, input: Input) =>
  Effect.map(
    Stream.runCollect(data.walletTransfers.items({ address, ...input })),
    (records) => Chunk.toReadonlyArray(records).map(TransferService.recordKey)
  )

type Replies = ReadonlyArray<ScriptedClient.ScriptedReply>

const lists: ReadonlyArray<readonly [name: string, keys: ReadonlyArray<string>, Replies]> = [
  ["ends at a page without new records that is below its page_size, and at no other short page", [
    "1:1",
    "2:2"
  ], [
    pageWith({ page: 0, page_size: 100 }, record(9, 1)),
    pageWith({ page: 0, page_size: "100" }, record(9, 1), record(8, 2)),
    pageWith({ page: 0, page_size: 100 }, record(8, 2))
  ]],
  ["of one transfer ends without total and cursor", ["1:1"], [
    pageWith({ page: 0, page_size: 100 }, record(9, 1)),
    pageWith({ page: 0, page_size: 100 }, record(9, 1))
  ]],
  ["has no duplicates if a block is returned in another order", ["1:1", "2:2", "3:3", "4:4"], [
    page(record(9, 1), record(8, 2), record(8, 3)),
    page(record(8, 4), record(8, 3), record(8, 2)),
    page(record(8, 2), record(8, 4))
  ]]
]

it.effect.each(lists)("a list by block %s", ([, keys, replies]) =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness(replies)
    expect(yield* keysOf(harness, {})).toEqual(keys)
    expect(harness.requests).toHaveLength(replies.length)
  }))

describe("pagination by block fails", () => {
  const invalid: ReadonlyArray<readonly [name: string, reason: string, Input, Replies]> = [
    ["if a block later fills a page", "BlockOverflow", {}, [
      page(record(9, 1), record(8, 2)),
      page(record(8, 2), record(8, 3)),
      page(record(8, 2), record(8, 3))
    ]],
    ["if a block fills a page of page_size", "BlockOverflow", {}, [
      pageWith({ page_size: 2 }, record(9, 1), record(9, 2)),
      pageWith({ page_size: 2 }, record(9, 1), record(9, 2))
    ]],
    ["if a page with a cursor has no new records", "BlockOverflow", {}, [
      page(record(9, 1), record(8, 2), record(8, 3)),
      pageWith({ cursor: "a" }, record(8, 2), record(8, 3))
    ]],
    ["if blocks decrease in ascending order", "OutOfOrder", { order: "ASC" }, [
      page(record(9, 1), record(8, 2))
    ]],
    ["if a block is outside the requested range", "OutOfOrder", { from_block: 5 }, [
      page(record(9, 1), record(3, 2))
    ]]
  ]

  it.effect.each(invalid)("%s", ([, reason, input, replies]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(replies)
      expect(yield* failureOf(keysOf(harness, input))).toMatchObject({
        _tag: "PaginationError",
        operation: "walletTransfers",
        reason
      })
      expect(harness.requests).toHaveLength(replies.length)
    }))
})

const result = [9, 8, 8, 7].map((block_number, log_index) => ({
  transaction_hash: `0x${"1".repeat(64)}`,
  block_number,
  log_index
}))

const input = {
  address,
  chain: "eth",
  contract_addresses: [contract],
  from_block: 3,
  to_block: 50,
  limit: 3
} as const

/** A resume cursor of the list of `input`. */
const resumeCursor = Effect.gen(function*() {
  const harness = yield* TestClients.harness([ScriptedClient.json({ result: result.slice(0, 3) })])
  const first = yield* Stream.runHead(harness.data.walletTransfers.pages(input))
  return Option.getOrThrow(first).cursor ?? ""
})

describe("a resume cursor", () => {
  it.effect("continues a list with parameters that the operation does not have only with the same ones", () =>
    Effect.gen(function*() {
      const page = ScriptedClient.json({ result: result.slice(0, 3) })
      const { data, requests } = yield* TestClients.harness([page, ScriptedClient.json({ result: [] })])
      const query = { fresh: [1, "2"], spam: false }
      const first = yield* Stream.runHead(data.walletTransfers.pages(input, { query }))
      const cursor = Option.getOrThrow(first).cursor ?? ""
      for (const other of [undefined, {}, { ...query, spam: true }, { fresh: 1, spam: false }]) {
        const error = yield* failureOf(
          Stream.runDrain(data.walletTransfers.pages(input, { cursor, query: other }))
        )
        expect(error.message).toContain("the cursor belongs to another list")
      }
      const same = { spam: "false", fresh: ["1", 2], none: undefined }
      yield* Stream.runDrain(data.walletTransfers.pages(input, { cursor, query: same, maxPages: 1 }))
      expect(requests.map(({ url }) => url.searchParams.getAll("fresh[]"))).toEqual([["1", "2"], ["1", "2"]])
      const plain = yield* resumeCursor
      const error = yield* failureOf(
        Stream.runDrain(data.walletTransfers.pages(input, { cursor: plain, query }))
      )
      expect(error.message).toContain("the cursor belongs to another list")
    }))

  const changes: ReadonlyArray<readonly [name: string, change: Readonly<Record<string, unknown>>]> = [
    ["address", { address: contract }],
    ["chain", { chain: "polygon" }],
    ["contract", { contract_addresses: [address] }],
    ["order", { order: "ASC" }],
    ["lower bound", { from_block: 4 }],
    ["absent upper bound", { to_block: undefined }],
    ["kind of upper bound", { to_block: undefined, to_date: "2024-01-01" }]
  ]

  it.effect.each(changes)(
    "of a list with another %s is rejected before a request is sent",
    ([, change]) =>
      Effect.gen(function*() {
        const { data } = yield* TestClients.harness([])
        const items = data.walletTransfers.items({ ...input, ...change }, { cursor: yield* resumeCursor })
        const error = yield* failureOf(Stream.runDrain(items))
        expect(error).toMatchObject({
          _tag: "InvalidInputError",
          issues: [{ parameter: "cursor", reason: expect.stringContaining("another list") }]
        })
      })
  )
})
