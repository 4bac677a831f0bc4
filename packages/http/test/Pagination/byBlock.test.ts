/** Tests pagination of lists without cursors, compared with a model of such an upstream. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { address } from "../support/Examples.ts"
import * as TestClients from "../support/TestClients.ts"
import * as TransferService from "../support/TransferService.ts"

const filters = FastCheck.record({
  transfers: TransferService.transfers,
  size: FastCheck.integer({ min: 1, max: 20 }),
  total: FastCheck.boolean(),
  order: FastCheck.constantFrom<"ASC" | "DESC" | undefined>("ASC", "DESC", undefined),
  from_block: FastCheck.option(FastCheck.integer({ min: 90, max: 200 }), { nil: undefined }),
  to_block: FastCheck.option(FastCheck.integer({ min: 200, max: 400 }), { nil: undefined }),
  arriving: FastCheck.array(FastCheck.integer({ min: 1, max: 3 }), { maxLength: 4 })
})

type Filter = typeof filters extends FastCheck.Arbitrary<infer A> ? A : never

const inputOf = ({ from_block, order, to_block }: Filter) => ({
  address,
  limit: 100,
  from_block,
  order,
  to_block
})

/** The records that match a filter, by key and in order. */
const selected = (transfers: ReadonlyArray<TransferService.Transfer>, filter: Filter) => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(inputOf(filter))) {
    if (value !== undefined) query.set(name, String(value))
  }
  return TransferService.select(transfers, query)
}

describe("a list without cursors", () => {
  it.effect.prop(
    "returns every record of the first request once and in order, or fails with BlockOverflow",
    {
      filter: filters
    },
    ({ filter }) =>
      Effect.gen(function*() {
        const { size, total, transfers } = filter
        const newBlocks = TransferService.blocksAfter(transfers, filter.arriving)
        const harness = yield* TestClients.harness(
          TransferService.service({ transfers, size, total, newBlocks })
        )
        const pagination = yield* Stream.runCollect(harness.data.walletTransfers.items(inputOf(filter))).pipe(
          Effect.either
        )
        const expected = selected(transfers, filter)
        const all = selected([...transfers, ...newBlocks.flat()], filter)
        if (Either.isLeft(pagination)) {
          expect(pagination.left).toHaveProperty("reason", "BlockOverflow")
          // It fails only if a block may hold more records than a page.
          const candidates = filter.order === "ASC" ? all : expected
          const singlePage = [expected, candidates].some((records) =>
            new Set(records.map(({ block }) => block)).size === 1
          )
          expect(TransferService.largestBlock(candidates) >= size || !total && singlePage).toBe(true)
          return
        }
        const delivered = Chunk.toReadonlyArray(pagination.right).map(TransferService.recordKey)
        const initial = new Set(expected.map(TransferService.transferKey))
        expect(delivered.filter((name) => initial.has(name))).toEqual(
          expected.map(TransferService.transferKey)
        )
        const added = delivered.filter((name) => !initial.has(name))
        expect(new Set(added).size).toBe(added.length)
        if (filter.order === "ASC") {
          expect(delivered).toEqual(all.map(TransferService.transferKey).slice(0, delivered.length))
        } else expect(added).toEqual([])
      })
  )

  it.effect.prop(
    "continues after the cursor of any page with exactly the remaining records",
    { filter: filters, nth: FastCheck.nat() },
    ({ filter, nth }) =>
      Effect.gen(function*() {
        const { transfers } = filter
        const size = TransferService.largestBlock(transfers) + 1
        const service = TransferService.service({ transfers, size, total: true })
        const harness = yield* TestClients.harness(service)
        const { pages, items } = harness.data.walletTransfers
        const input = inputOf(filter)
        const allPages = Chunk.toReadonlyArray(yield* Stream.runCollect(pages(input)))
        expect(allPages.at(-1)?.cursor).toBe(null)
        const index = nth % allPages.length
        const { cursor } = allPages[index] ?? expect.fail("no page")
        if (cursor !== null) {
          expect(cursor).toMatch(/^quarry-resume-1\./)
          const remaining = allPages.slice(index + 1).flatMap(({ result }) => result)
          for (const list of [items({ ...input, limit: 7 }, { cursor }), items({ ...input, cursor })]) {
            const rest = Chunk.toReadonlyArray(yield* Stream.runCollect(list))
            expect(rest.map(TransferService.recordKey)).toEqual(remaining.map(TransferService.recordKey))
          }
        }
        // With the original page size
        for (const { url } of harness.requests) {
          expect([url.searchParams.get("limit"), url.searchParams.has("cursor")]).toEqual(["100", false])
        }
      })
  )

  it.effect.prop(
    "continues as its first page began if later pages have cursors, without losing or repeating records",
    {
      filter: filters,
      cursorsFrom: FastCheck.integer({ min: 1, max: 6 })
    },
    ({ cursorsFrom, filter }) =>
      Effect.gen(function*() {
        const size = TransferService.largestBlock(filter.transfers) + 1
        const { transfers } = filter
        const harness = yield* TestClients.harness(
          TransferService.service({ transfers, size, total: true, cursorsFrom })
        )
        const delivered = yield* Stream.runCollect(harness.data.walletTransfers.items(inputOf(filter)))
        expect(Chunk.toReadonlyArray(delivered).map(TransferService.recordKey))
          .toEqual(selected(transfers, filter).map(TransferService.transferKey))
        const byCursor = harness.requests.slice(1).map(({ url }) => url.searchParams.has("cursor"))
        expect(byCursor).toEqual(byCursor.map(() => cursorsFrom === 1))
      })
  )
})
