/**
 * The sentences about lists in `docs/pagination.md`, for streams of every list operation. `apps/cli`, `apps/proxy` and
 * `packages/client` test them at their own doors.
 */
import type { PageRepeats } from "@blockquarry/core/Page"
import { describe, expect, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import {
  movingPages,
  pageOf,
  type RecordsOfList,
  recordsOfLists
} from "../../../core/test/support/listRecords.ts"
import type { ListCallOptions } from "../../src/Pagination.ts"
import { failureOf } from "../support/Failures.ts"
import { streamsOf } from "../support/Lists.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

type Pages = ReadonlyArray<ReadonlyArray<number>>

interface List extends Pick<RecordsOfList, "id" | "input"> {
  readonly record: NonNullable<RecordsOfList["identified"]>
}

const lists = (has: "identified" | "anonymous") =>
  recordsOfLists.flatMap(({ id, input, [has]: record }): ReadonlyArray<List> =>
    record === null ? [] : [{ id, input, record }]
  )
const identified = lists("identified")
const anonymous = lists("anonymous")
const all = [...identified, ...anonymous]

/** The streams of an operation over pages of numbers, as records. */
const open = (list: List, pages: Pages) =>
  Effect.map(
    TestClients.harness(({ url }) =>
      ScriptedClient.json(
        pageOf(pages.map((page) => page.map(list.record)), url.searchParams.get("cursor"))
      )
    ),
    (harness) => {
      const records = Array.from(new Set(pages.flat()), (number) => [number, list.record(number)] as const)
      /** Returns the number of a decoded record: of all records, no others have its members. */
      const numberOf = (decoded: object): number => {
        const found = records.find(([, record]) =>
          Object.entries(record).every(([name, value]) =>
            value === undefined || String(Reflect.get(decoded, name)) === String(value)
          )
        )
        return found?.[0] ?? Number.NaN
      }
      return {
        requests: harness.requests,
        pages: (options?: ListCallOptions) =>
          Effect.map(Stream.runCollect(streamsOf(harness, list, options).pages), (pages) =>
            Chunk.toReadonlyArray(pages).map(({ result }) => result.map(numberOf))),
        items: (options?: ListCallOptions) =>
          Effect.map(Stream.runCollect(streamsOf(harness, list, options).items), (items) =>
            Chunk.toReadonlyArray(items).map(numberOf))
      }
    }
  )

interface Law {
  readonly name: string
  readonly lists: ReadonlyArray<List>
  readonly given: Pages
  readonly returned: Pages
  /** How many records of each page are counted as without an identity. */
  readonly counted?: ReadonlyArray<number>
}

const laws: ReadonlyArray<Law> = [
  {
    name: "with an identity is left out if the page before had the same one",
    lists: identified,
    given: [[1, 2], [2, 3], [3, 2, 4], [4, 1]],
    returned: [[1, 2], [3], [4], [1]]
  },
  {
    name: "is not compared with others of its page",
    lists: identified,
    given: [[1, 1, 2], [3, 3]],
    returned: [[1, 1, 2], [3, 3]]
  },
  {
    name: "is compared with the last page that has records",
    lists: identified,
    given: [[1, 2], [], [], [2, 3]],
    returned: [[1, 2], [], [], [3]]
  },
  {
    name: "without an identity is never left out, but counted",
    lists: anonymous,
    given: [[1, 2], [2, 3], [3, 2, 3], [4]],
    returned: [[1, 2], [2, 3], [3, 2, 3], [4]],
    counted: [0, 1, 3, 0]
  }
]

describe.each(laws)("a record $name", ({ counted, given, lists, returned }) => {
  it.effect.each(lists)("of $id", (list) =>
    Effect.gen(function*() {
      const { items, pages } = yield* open(list, given)
      expect(yield* pages()).toEqual(returned)
      for (const prefetch of [0, 2]) {
        const counts: Array<readonly [leftOut: number, counted: number]> = []
        const onPage = ({ leftOut, unidentified }: PageRepeats) =>
          void counts.push([leftOut.length, unidentified])
        expect(yield* items({ onPage, prefetch })).toEqual(returned.flat())
        expect(counts).toEqual(given.map(({ length }, index) => [
          length - (returned[index]?.length ?? 0),
          counted?.[index] ?? 0
        ]))
      }
    }))
})

const moving = FastCheck.integer({ min: 1, max: 4 }).chain((size) =>
  FastCheck.record({
    length: FastCheck.integer({ min: 0, max: 12 }),
    size: FastCheck.constant(size),
    added: FastCheck.array(FastCheck.integer({ min: 0, max: size }), { maxLength: 8 })
  })
)

it.effect.prop(
  "a record with an identity is returned once, however its list moves by up to a page",
  { list: FastCheck.constantFrom(...identified), moving },
  ({ list, moving: { added, length, size } }) =>
    Effect.gen(function*() {
      const { items } = yield* open(list, movingPages(length, size, added))
      expect(yield* items()).toEqual(Arr.range(0, length).slice(0, length))
    })
)

it.effect.each(all)(
  "ten pages in a row of $id that have only records of the page before fail, however many are empty",
  (list) =>
    Effect.gen(function*() {
      const { items, pages, requests } = yield* open(list, [[0], ...Array.from({ length: 50 }, () => [1, 2])])
      expect(yield* failureOf(pages())).toMatchObject({ _tag: "PaginationError", reason: "PagesRepeated" })
      expect(requests).toHaveLength(12)
      // Nine are not enough
      expect(yield* items({ maxPages: 11 })).toContain(2)
      const [ones, twos] = [1, 2].map((number) => Array.from({ length: 9 }, () => [number]))
      const empty = Array.from({ length: 30 }, () => [])
      const outcomes: ReadonlyArray<readonly [Pages, succeeds: boolean]> = [
        [[[1], ...ones ?? [], [1, 2], [2], ...twos ?? [], []], false],
        [[[1], ...ones ?? [], [1, 2], ...twos ?? [], []], true],
        [[[1], ...empty, [2], ...empty, [3]], true]
      ]
      for (const [pages, succeeds] of outcomes) {
        const { items } = yield* open(list, pages)
        expect(Exit.isSuccess(yield* Effect.exit(items()))).toBe(succeeds)
      }
    })
)

it.effect.each(identified)(
  "a list of $id that continues after a cursor cannot know the page before, unless it is given its identities",
  (of) =>
    Effect.gen(function*() {
      const pages: Array<PageRepeats> = []
      const list = yield* open(of, [[1, 2], [], [2, 3], [3, 4]])
      yield* list.items({ onPage: (page) => pages.push(page) })
      for (const [index, rest] of [[2, 3, 4], [2, 3, 4], [3, 4]].entries()) {
        const cursor = `after-${index + 1}`
        expect(yield* list.items({ cursor })).toEqual(rest)
        const previous = pages[index]?.identities
        expect(yield* list.items({ cursor, previous })).toEqual(index === 2 ? [4] : [3, 4])
      }
    })
)

it.effect.each(identified)(
  "the records that a list of $id left out are reported once, when it ends",
  (list) =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(...Arr.ensure(message)))
      const { items } = yield* open(list, [[1, 2], [2, 3], [3, 4]])
      yield* Effect.forEach([{}, { maxPages: 1 }, { maxPages: 2, prefetch: 1 }], (options) => items(options))
        .pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      const line = (count: string) => `${list.id}: left out ${count} that the page before had too`
      expect(lines).toEqual([line("2 records"), line("1 record")])
    })
)
