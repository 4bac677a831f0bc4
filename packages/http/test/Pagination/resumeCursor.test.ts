/** Tests the cursors of lists without upstream cursors: which list they continue, and how they are validated. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { address, contract } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

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
    ["absent chain", { chain: undefined }],
    ["contract", { contract_addresses: [address] }],
    ["list of contracts", { contract_addresses: undefined }],
    ["order", { order: "ASC" }],
    ["lower bound", { from_block: 4 }],
    ["absent lower bound", { from_block: undefined }],
    ["upper bound", { to_block: 5 }],
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
