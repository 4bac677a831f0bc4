/** Tests lists as the JSON text of their records. */
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as RawRecords from "../src/RawRecords.ts"
import * as Upstream from "../src/Upstream.ts"
import { address } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

/** A record with an amount above the range of numbers, and unusual white space. */
const record = (block: number, id: number) =>
  `{"transaction_hash": "0x${
    id.toString(16).padStart(64, "0")
  }",\n "block_number":"${block}", "log_index": ${id},` +
  `"value":1157920892373161954235709850086879078532699846656405640394575840079131296${id}, "unknown": [1.50, "]"] }`

const line = (block: number, id: number) => record(block, id).replace("\n", " ")

const page = (cursor: string | undefined, ...records: ReadonlyArray<string>) =>
  ScriptedClient.respond(
    200,
    `{"result": [${records.join(" , ")}]${
      cursor === undefined ? "" : `,"cursor":${JSON.stringify(cursor)}`
    }}`,
    { "content-type": "application/json" }
  )

const pagination = (
  replies: ReadonlyArray<ScriptedClient.ScriptedReply>,
  options: { readonly cursor?: string } = {},
  operation = walletTransfers
) =>
  Effect.gen(function*() {
    const { requests, client } = ScriptedClient.make(replies)
    const engine = yield* TestClients.engine
    const upstream = yield* Upstream.make(
      "data",
      { apiKey: Redacted.make(TestClients.key), baseUrl: "https://data.test" }
    ).pipe(Effect.provideService(HttpClient.HttpClient, client))
    const input = yield* decodeInput(operation, { address })
    const pages = yield* Effect.either(
      Stream.runCollect(RawRecords.pages(operation, engine, upstream, input, options))
    )
    const shown = Either.map(pages, (pages) =>
      Chunk.toReadonlyArray(pages).map(({ cursor, records }) => ({ records, cursor })))
    return { requests, pages: shown }
  })

describe("a list with cursors", () => {
  it.effect("returns the text of each record, and the cursor of each page", () =>
    Effect.gen(function*() {
      const { pages } = yield* pagination([
        page("c1", record(9, 1), record(8, 2)),
        page("c2"),
        page("", record(7, 3))
      ])
      expect(yield* pages).toEqual([
        { records: [line(9, 1), line(8, 2)], cursor: "c1" },
        { records: [], cursor: "c2" },
        { records: [line(7, 3)], cursor: null }
      ])
    }))
})

describe("a list without cursors", () => {
  it.effect("continues by block, returns no record twice, and can be resumed", () =>
    Effect.gen(function*() {
      const replies = [
        page(undefined, record(9, 1), record(8, 2)),
        page(undefined, record(8, 2), record(7, 3)),
        page(undefined, record(7, 3))
      ]
      const all = yield* Effect.flatMap(pagination(replies), ({ pages }) => pages)
      expect(all.flatMap(({ records }) => records)).toEqual([line(9, 1), line(8, 2), line(7, 3)])
      const [first] = all
      const rest = yield* pagination(replies.slice(1), { cursor: first?.cursor ?? "" })
      expect((yield* rest.pages).flatMap(({ records }) => records)).toEqual([line(7, 3)])
    }))
})

describe("an invalid page", () => {
  const mismatches: ReadonlyArray<readonly [string, ReadonlyArray<string>, number]> = [
    ["more records than its text", [record(9, 1), record(8, 2)], 3],
    ["fewer records than its text", [record(9, 1), record(8, 2)], 1]
  ]

  it.effect.each(mismatches)(
    "fails if it decodes to %s",
    ([, records, count]) =>
      Effect.gen(function*() {
        const operation: typeof walletTransfers = {
          ...walletTransfers,
          decode: (document) =>
            Either.map(walletTransfers.decode(document), (page) => ({
              ...page,
              result: [...page.result, ...page.result].slice(0, count)
            }))
        }
        const { pages } = yield* pagination([page("", ...records)], {}, operation)
        expect(yield* failureOf(pages)).toMatchObject({
          _tag: "InvalidResponseError",
          request: { method: "GET", path: `/${address}/erc20/transfers` },
          path: "result",
          reason: `the body has ${records.length} records, but ${count} were decoded`
        })
      })
  )
})
