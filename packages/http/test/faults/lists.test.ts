/** Walks over real sockets: to the end of the list, or to a failure that says so, and never silently short. */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Server from "../support/Server.ts"
import * as TestClients from "../support/TestClients.ts"
import { maxBodySize } from "./support/BodyRows.ts"
import * as FaultServer from "./support/FaultServer.ts"
import { type List, lists, walletTransfers } from "./support/Lists.ts"
import { rows } from "./support/Matrix.ts"
import * as Row from "./support/Row.ts"

/** What a walk gave, and how it ended. */
const pagination = (numbers: Stream.Stream<number, ListOperationError>) =>
  Effect.gen(function*() {
    const given: Array<number> = []
    const end = yield* Effect.either(
      Stream.runForEach(numbers, (number) => Effect.sync(() => given.push(number)))
    )
    const { _tag: tag, ...fields } = Either.isRight(end)
      ? { _tag: "ok" }
      : { ...end.left, _tag: end.left._tag }
    return { given, tag, fields }
  })

/** A page as text: its records' numbers, and the text of its cursor, if it has one. */
const page = ({ record }: List, numbers: ReadonlyArray<number>, cursor?: string): string =>
  `{"result":${JSON.stringify(numbers.map(record))}${cursor === undefined ? "" : `,"cursor":${cursor}`}}`

/** Pages by the cursor that they are asked with; without one, the first. */
type Pages = Readonly<Record<string, readonly [numbers: ReadonlyArray<number>, cursor: string]>>

interface Script {
  readonly name: string
  readonly pages: Pages
  readonly given: ReadonlyArray<number>
  readonly tag: string
  readonly fields?: object
}

const repeated = { tag: "PaginationError", fields: { reason: "CursorRepeated" } }
const whole = { tag: "ok" }
const invalid = { tag: "InvalidResponseError" }

const scripts: ReadonlyArray<Script> = [
  {
    name: "a cursor that is its own",
    pages: { "": [[9], "\"a\""], a: [[8], "\"a\""] },
    given: [9],
    ...repeated
  },
  {
    name: "cursors that go round",
    pages: { "": [[9], "\"a\""], a: [[8], "\"b\""], b: [[7], "\"a\""] },
    given: [9, 8],
    ...repeated
  },
  {
    name: "a page that is there twice",
    pages: { "": [[9, 8], "\"a\""], a: [[9, 8], "\"b\""], b: [[7], "null"] },
    given: [9, 8, 9, 8, 7],
    ...whole
  },
  {
    name: "empty pages with cursors",
    pages: { "": [[], "\"a\""], a: [[9], "\"b\""], b: [[], "\"c\""], c: [[], "\"d\""], d: [[8], "\"\""] },
    given: [9, 8],
    ...whole
  },
  {
    name: "cursors that are numbers",
    pages: {
      "": [[9], "7"],
      "7": [[8], "12345678901234567890"],
      "12345678901234567890": [[7], "null"]
    },
    given: [9, 8, 7],
    ...whole
  },
  ...["{}", "[\"a\"]", "true"].map((cursor): Script => ({
    name: `a cursor that is ${cursor}`,
    pages: { "": [[9], "\"a\""], a: [[8], cursor] },
    given: [9],
    ...invalid
  })),
  {
    name: "a page that is something else",
    pages: { "": [[9], "\"a\""] },
    given: [9],
    ...invalid
  }
]

const clientsAt = (baseUrl: string, cached: boolean, attempts = Row.attempts) =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    TestClients.clientsOver(client, {
      baseUrl,
      cache: cached ? ResponseCache.standard : ResponseCache.none,
      retry: TestClients.immediateRetries(attempts),
      maxBodySize
    }))

const cells = lists.flatMap((list) => [true, false].map((cached) => ({ list, cached })))

/** What the service has, newest first, two records to a page, and how it gives them. */
const all = [9, 8, 7, 6, 5]

const byCursor: Row.Responder = ({ query, response }) => {
  const from = Number(query.get("cursor") ?? 0)
  const cursor = from + 2 < all.length ? `"${from + 2}"` : "null"
  response.end(page(walletTransfers, all.slice(from, from + 2), cursor))
}

const byBlock: Row.Responder = ({ query, response }) => {
  const below = all.filter((number) => number <= Number(query.get("to_block") ?? 100))
  response.end(page(walletTransfers, below.slice(0, 2)))
}

/** Faults that can be met anywhere; time is another test's matter. */
const faults = rows.filter(({ attempts, unreachableHost: unreachable, timeouts }) =>
  unreachable === undefined && timeouts === undefined && attempts === undefined
)

describe.each(Server.clients)("with %s", (_, layer) => {
  const provide = Effect.provide(layer)

  it.scopedLive.each(scripts)("$name", ({ fields = {}, given, pages, tag }) =>
    Effect.gen(function*() {
      const server = yield* FaultServer.make
      for (const { cached, list } of cells) {
        const place = server.addEndpoint("")
        place.responder = ({ query, response }) => {
          const [numbers, cursor] = pages[query.get("cursor") ?? ""] ?? []
          response.end(numbers === undefined ? "{\"message\":\"sorry\"}" : page(list, numbers, cursor))
        }
        const collected = yield* pagination(list.numbers(yield* clientsAt(place.url, cached)))
        expect({ list: list.id, ...collected }).toMatchObject({ list: list.id, given, tag, fields })
      }
    }).pipe(provide))

  const ways: ReadonlyArray<readonly [way: string, right: Row.Responder]> = [["cursor", byCursor], [
    "block",
    byBlock
  ]]

  describe.each(ways)("a list that goes on by %s", (_, right) => {
    it.scopedLive("that fails in the middle for good ends with the failure, after what was there", () =>
      Effect.gen(function*() {
        const server = yield* FaultServer.make
        for (const row of faults) {
          const place = server.addEndpoint(page(walletTransfers, [7, 6], "\"4\""))
          place.responder = (exchange) => (place.received === 1 ? right : row.responder)(exchange)
          const collected = yield* pagination(walletTransfers.numbers(yield* clientsAt(place.url, true)))
          if (row.get.tag === "ok") continue
          expect({ row: row.name, ...collected }).toMatchObject({
            row: row.name,
            given: [9, 8],
            tag: row.get.tag
          })
          expect({ row: row.name, received: place.received })
            .toEqual({ row: row.name, received: 1 + row.get.requests })
        }
      }).pipe(provide))

    it.scopedLive("that fails once on every page is whole where the failure passes", () =>
      Effect.gen(function*() {
        const server = yield* FaultServer.make
        for (const row of faults.filter(({ get: read }) => read.requests > 1)) {
          const place = server.addEndpoint(page(walletTransfers, [7, 6], "\"4\""))
          place.responder = (exchange) => (place.received % 2 === 0 ? right : row.responder)(exchange)
          const collected = yield* pagination(walletTransfers.numbers(yield* clientsAt(place.url, true)))
          expect({ row: row.name, ...collected }).toMatchObject({ row: row.name, given: all, tag: "ok" })
        }
      }).pipe(provide))
  })

  it.scopedLive("a list without cursors whose page repeats is broken", () =>
    Effect.gen(function*() {
      const server = yield* FaultServer.make
      const repeating: ReadonlyArray<readonly [numbers: ReadonlyArray<number>, reason: string]> = [
        [[9, 8], "OutOfOrder"],
        [[9, 9], "BlockOverflow"]
      ]
      for (const [numbers, reason] of repeating) {
        const place = server.addEndpoint(page(walletTransfers, numbers))
        const collected = yield* pagination(walletTransfers.numbers(yield* clientsAt(place.url, true)))
        expect(collected).toMatchObject({ given: numbers, tag: "PaginationError", fields: { reason } })
        expect(place.received).toBe(2)
      }
    }).pipe(provide))
})
