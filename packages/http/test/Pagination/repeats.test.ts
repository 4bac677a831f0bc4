/**
 * The sentences about lists in `docs/pagination.md`, for streams of every list operation. `apps/cli`, `apps/proxy` and
 * `packages/client` test them at their own doors.
 */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import type { PageRepeats } from "@blockquarry/core/Page"
import { describe, expect, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import {
  address,
  movingPages,
  pageOf,
  type RecordsOfList,
  recordsOfLists
} from "../../../core/test/support/listRecords.ts"
import type { ListCallOptions } from "../../src/Pagination.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

const lists = (has: "identified" | "anonymous") =>
  recordsOfLists.flatMap((list) => {
    const record = list[has]
    return record === null ? [] : [[list.id, record] as const]
  })

/** The streams of an operation over pages of numbers, as records. */
const open = (
  id: string,
  record: NonNullable<RecordsOfList["identified"]>,
  pages: ReadonlyArray<ReadonlyArray<number>>
) =>
  Effect.map(
    TestClients.harness(({ url }) =>
      ScriptedClient.json(pageOf(pages.map((page) => page.map(record)), url.searchParams.get("cursor")))
    ),
    ({ data, requests }) => {
      const operations: Readonly<
        Record<
          string,
          (options: ListCallOptions) => {
            readonly pages: Stream.Stream<{ readonly result: ReadonlyArray<object> }, ListOperationError>
            readonly items: Stream.Stream<object, ListOperationError>
          }
        >
      > = {
        walletTransfers: (options) => ({
          pages: data.walletTransfers.pages({ address }, options),
          items: data.walletTransfers.items({ address }, options)
        }),
        tokenTransfers: (options) => ({
          pages: data.tokenTransfers.pages({ address }, options),
          items: data.tokenTransfers.items({ address }, options)
        }),
        contractNfts: (options) => ({
          pages: data.contractNfts.pages({ address }, options),
          items: data.contractNfts.items({ address }, options)
        }),
        nftOwners: (options) => ({
          pages: data.nftOwners.pages({ address, token_id: "9" }, options),
          items: data.nftOwners.items({ address, token_id: "9" }, options)
        }),
        tokenOwners: (options) => ({
          pages: data.tokenOwners.pages({ token_address: address }, options),
          items: data.tokenOwners.items({ token_address: address }, options)
        }),
        walletNftTrades: (options) => ({
          pages: data.walletNftTrades.pages({ address }, options),
          items: data.walletNftTrades.items({ address }, options)
        })
      }
      /** Returns the number of a decoded record: of all records, no others have its members. */
      const numberOf = (decoded: object): number => {
        const numbers = [...new Set(pages.flat())]
        const found = numbers.find((number) =>
          Object.entries(record(number)).every(([name, value]) =>
            value === undefined || String(Reflect.get(decoded, name)) === String(value)
          )
        )
        return found ?? Number.NaN
      }
      const streams = (options: ListCallOptions = {}) => {
        const make = operations[id]
        if (make === undefined) throw new Error(id)
        return make(options)
      }
      return {
        requests,
        pages: (options?: ListCallOptions) =>
          Effect.map(Stream.runCollect(streams(options).pages), (pages) =>
            Chunk.toReadonlyArray(pages).map(({ result }) => result.map(numberOf))),
        items: (options?: ListCallOptions) =>
          Effect.map(Stream.runCollect(streams(options).items), (items) =>
            Chunk.toReadonlyArray(items).map(numberOf))
      }
    }
  )

describe("a record with an identity", () => {
  it.effect.each(lists("identified"))(
    "of %s is left out if the page before had the same one",
    ([id, record]) =>
      Effect.gen(function*() {
        const { items, pages } = yield* open(id, record, [[1, 2], [2, 3], [3, 2, 4], [4, 1]])
        expect(yield* pages()).toEqual([[1, 2], [3], [4], [1]])
        expect(yield* items()).toEqual([1, 2, 3, 4, 1])
        expect(yield* items({ prefetch: 2 })).toEqual([1, 2, 3, 4, 1])
      })
  )

  const moving = FastCheck.integer({ min: 1, max: 4 }).chain((size) =>
    FastCheck.record({
      length: FastCheck.integer({ min: 0, max: 12 }),
      size: FastCheck.constant(size),
      added: FastCheck.array(FastCheck.integer({ min: 0, max: size }), { maxLength: 8 })
    })
  )

  it.effect.prop(
    "is returned once, however its list moves by up to a page",
    { list: FastCheck.constantFrom(...lists("identified")), moving },
    ({ list: [id, record], moving: { added, length, size } }) =>
      Effect.gen(function*() {
        const { items } = yield* open(id, record, movingPages(length, size, added))
        expect(yield* items()).toEqual(Arr.range(0, length).slice(0, length))
      })
  )

  it.effect.each(lists("identified"))(
    "of %s is not compared with others of its page",
    ([id, record]) =>
      Effect.gen(function*() {
        const { items } = yield* open(id, record, [[1, 1, 2], [3, 3]])
        expect(yield* items()).toEqual([1, 1, 2, 3, 3])
      })
  )
})

it.effect.each(lists("anonymous"))(
  "a record of %s without an identity is never left out, but counted",
  ([id, record]) =>
    Effect.gen(function*() {
      const counts: Array<number> = []
      const { items } = yield* open(id, record, [[1, 2], [2, 3], [3, 2, 3], [4]])
      const onPage = ({ leftOut, unidentified }: PageRepeats) =>
        void counts.push(leftOut.length, unidentified)
      expect(yield* items({ onPage })).toEqual([1, 2, 2, 3, 3, 2, 3, 4])
      expect(counts).toEqual([0, 0, 0, 1, 0, 3, 0, 0])
    })
)

describe("pages that are not empty and have only records of the page before", () => {
  const all = [...lists("identified"), ...lists("anonymous")]

  it.effect.each(all)(
    "fail %s when there are ten in a row under new cursors",
    ([id, record]) =>
      Effect.gen(function*() {
        const endless = Array.from({ length: 50 }, () => [1, 2])
        const { items, pages, requests } = yield* open(id, record, [[0], ...endless])
        expect(yield* failureOf(pages())).toMatchObject({ _tag: "PaginationError", reason: "PagesRepeated" })
        expect(requests).toHaveLength(12)
        // Nine are not enough
        expect(yield* Effect.map(Effect.either(items({ maxPages: 11 })), Either.isRight)).toBe(true)
      })
  )

  it.effect.each(all)(
    "of %s do not count together with others, and an empty page is none of them",
    ([id, record]) =>
      Effect.gen(function*() {
        const nine = Array.from({ length: 9 }, () => [1])
        const some = yield* open(id, record, [[1], ...nine, [1, 2], [2], ...nine.map(() => [2]), []])
        expect(yield* Effect.map(Effect.either(some.items()), Either.isRight)).toBe(false)
        const others = yield* open(id, record, [[1], ...nine, [1, 2], ...nine.map(() => [2]), []])
        expect(yield* Effect.map(Effect.either(others.items()), Either.isRight)).toBe(true)
        const empty = Array.from({ length: 30 }, () => [])
        const waiting = yield* open(id, record, [[1], ...empty, [2], ...empty, [3]])
        expect(yield* waiting.items()).toEqual([1, 2, 3])
      })
  )
})

it.effect.each(lists("identified"))(
  "a page of %s is compared with the last page that has records",
  ([id, record]) =>
    Effect.gen(function*() {
      const { items } = yield* open(id, record, [[1, 2], [], [], [2, 3]])
      expect(yield* items()).toEqual([1, 2, 3])
    })
)

describe("a list that continues after a cursor", () => {
  it.effect.each(lists("identified"))(
    "of %s cannot know the page before, unless it is given its identities",
    ([id, record]) =>
      Effect.gen(function*() {
        const pages: Array<PageRepeats> = []
        const list = yield* open(id, record, [[1, 2], [], [2, 3], [3, 4]])
        expect(yield* list.items({ onPage: (page) => pages.push(page) })).toEqual([1, 2, 3, 4])
        expect(pages.map(({ leftOut }) => leftOut)).toEqual([[], [], [0], [0]])
        for (const [index, rest] of [[2, 3, 4], [2, 3, 4], [3, 4]].entries()) {
          const cursor = `after-${index + 1}`
          expect(yield* list.items({ cursor })).toEqual(rest)
          const previous = pages[index]?.identities
          expect(yield* list.items({ cursor, previous })).toEqual(index === 2 ? [4] : [3, 4])
        }
      })
  )
})

it.effect.each(lists("identified"))(
  "the records that a list of %s left out are reported once, when it ends",
  ([id, record]) =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(...Arr.ensure(message)))
      )
      const { items } = yield* open(id, record, [[1, 2], [2, 3], [3, 4]])
      yield* Effect.provide(items(), logger)
      yield* Effect.provide(items({ maxPages: 1 }), logger)
      yield* Effect.provide(items({ maxPages: 2, prefetch: 1 }), logger)
      const line = (count: number) =>
        `${id}: left out ${count} record${count === 1 ? "" : "s"} that the page before had too`
      expect(lines).toEqual([line(2), line(1)])
    })
)
