/** Tests pagination over real sockets: it reaches the end of the list or fails, and never ends early. */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { sample } from "../../../core/test/support/sample.ts"
import * as Server from "../support/Server.ts"
import * as TestClients from "../support/TestClients.ts"
import { maxBodySize } from "./support/BodyRows.ts"
import * as FaultServer from "./support/FaultServer.ts"
import { type List, lists, walletTransfers } from "./support/Lists.ts"
import { rows } from "./support/Matrix.ts"
import * as Row from "./support/Row.ts"

/** Returns the records of a list, and how it ended. */
const collect = (numbers: Stream.Stream<number, ListOperationError>) =>
  Effect.gen(function*() {
    const delivered: Array<number> = []
    const end = yield* Effect.either(
      Stream.runForEach(numbers, (number) => Effect.sync(() => delivered.push(number)))
    )
    const { _tag: tag, ...fields } = Either.isRight(end)
      ? { _tag: "ok" }
      : { ...end.left, _tag: end.left._tag }
    return { delivered, tag, fields }
  })

/** A page with records of the given numbers, and a cursor as JSON text. */
const page = ({ record }: List, numbers: ReadonlyArray<number>, cursor?: string): string =>
  `{"result":${JSON.stringify(numbers.map(record))}${cursor === undefined ? "" : `,"cursor":${cursor}`}}`

/** Pages by cursor; "" for the first page. */
type Pages = Readonly<Record<string, readonly [numbers: ReadonlyArray<number>, cursor: string]>>

interface Script {
  readonly name: string
  readonly pages: Pages
  readonly delivered: ReadonlyArray<number>
  readonly tag: string
  readonly fields?: object
}

const repeated = { tag: "PaginationError", fields: { reason: "CursorRepeated" } }
const complete = { tag: "ok" }
const invalid = { tag: "InvalidResponseError" }

const scripts: ReadonlyArray<Script> = [
  {
    name: "a cursor that refers to its own page",
    pages: { "": [[9], "\"a\""], a: [[8], "\"a\""] },
    delivered: [9],
    ...repeated
  },
  {
    name: "cursors in a cycle",
    pages: { "": [[9], "\"a\""], a: [[8], "\"b\""], b: [[7], "\"a\""] },
    delivered: [9, 8],
    ...repeated
  },
  {
    name: "a page that occurs twice",
    pages: { "": [[9, 8], "\"a\""], a: [[9, 8], "\"b\""], b: [[7], "null"] },
    delivered: [9, 8, 9, 8, 7],
    ...complete
  },
  {
    name: "empty pages with cursors",
    pages: { "": [[], "\"a\""], a: [[9], "\"b\""], b: [[], "\"c\""], c: [[], "\"d\""], d: [[8], "\"\""] },
    delivered: [9, 8],
    ...complete
  },
  {
    name: "numeric cursors",
    pages: {
      "": [[9], "7"],
      "7": [[8], "12345678901234567890"],
      "12345678901234567890": [[7], "null"]
    },
    delivered: [9, 8, 7],
    ...complete
  },
  ...["{}", "[\"a\"]", "true"].map((cursor): Script => ({
    name: `a cursor that is ${cursor}`,
    pages: { "": [[9], "\"a\""], a: [[8], cursor] },
    delivered: [9],
    ...invalid
  })),
  {
    name: "a page of an unexpected shape",
    pages: { "": [[9], "\"a\""] },
    delivered: [9],
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

/** The numbers of the upstream's records, newest first. A page has two records. */
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

/** Faults that apply to any request. Those with timeouts are tested elsewhere. */
const faults = rows.filter(({ attempts, unreachableHost: unreachable, timeouts }) =>
  unreachable === undefined && timeouts === undefined && attempts === undefined
)

describe.each(sample(Server.clients, 2))("with %s", (_, layer) => {
  const provide = Effect.provide(layer)

  it.scopedLive.each(scripts)("$name", ({ delivered, fields = {}, pages, tag }) =>
    Effect.gen(function*() {
      const server = yield* FaultServer.make
      for (const { cached, list } of cells) {
        const endpoint = server.addEndpoint("")
        endpoint.responder = ({ query, response }) => {
          const [numbers, cursor] = pages[query.get("cursor") ?? ""] ?? []
          response.end(numbers === undefined ? "{\"message\":\"sorry\"}" : page(list, numbers, cursor))
        }
        const collected = yield* collect(list.numbers(yield* clientsAt(endpoint.url, cached)))
        expect({ list: list.id, ...collected }).toMatchObject({ list: list.id, delivered, tag, fields })
      }
    }).pipe(provide))

  const modes: ReadonlyArray<readonly [mode: string, valid: Row.Responder]> = [["cursor", byCursor], [
    "block",
    byBlock
  ]]

  describe.each(modes)("pagination by %s", (_, valid) => {
    it.scopedLive("ends with an error if a request fails permanently, after the records before it", () =>
      Effect.gen(function*() {
        const server = yield* FaultServer.make
        for (const row of faults) {
          const endpoint = server.addEndpoint(page(walletTransfers, [7, 6], "\"4\""))
          endpoint.responder = (exchange) => (endpoint.received === 1 ? valid : row.responder)(exchange)
          const collected = yield* collect(walletTransfers.numbers(yield* clientsAt(endpoint.url, true)))
          if (row.get.tag === "ok") continue
          expect({ row: row.name, ...collected }).toMatchObject({
            row: row.name,
            delivered: [9, 8],
            tag: row.get.tag
          })
          expect({ row: row.name, received: endpoint.received })
            .toEqual({ row: row.name, received: 1 + row.get.requests })
        }
      }).pipe(provide))

    it.scopedLive("is complete if each page fails once with a retryable error", () =>
      Effect.gen(function*() {
        const server = yield* FaultServer.make
        for (const row of faults.filter(({ get }) => get.requests > 1)) {
          const endpoint = server.addEndpoint(page(walletTransfers, [7, 6], "\"4\""))
          endpoint.responder = (exchange) => (endpoint.received % 2 === 0 ? valid : row.responder)(exchange)
          const collected = yield* collect(walletTransfers.numbers(yield* clientsAt(endpoint.url, true)))
          expect({ row: row.name, ...collected }).toMatchObject({ row: row.name, delivered: all, tag: "ok" })
        }
      }).pipe(provide))
  })

  it.scopedLive("pagination by block fails if a page repeats", () =>
    Effect.gen(function*() {
      const server = yield* FaultServer.make
      const repeating: ReadonlyArray<readonly [numbers: ReadonlyArray<number>, reason: string]> = [
        [[9, 8], "OutOfOrder"],
        [[9, 9], "BlockOverflow"]
      ]
      for (const [numbers, reason] of repeating) {
        const endpoint = server.addEndpoint(page(walletTransfers, numbers))
        const collected = yield* collect(walletTransfers.numbers(yield* clientsAt(endpoint.url, true)))
        expect(collected).toMatchObject({ delivered: numbers, tag: "PaginationError", fields: { reason } })
        expect(endpoint.received).toBe(2)
      }
    }).pipe(provide))
})
