/** Pagination of a long list, without network. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Benchmark } from "../Comparison.ts"
import { distinctPages, formatSize, isParsedPage, pageSize, transfersPage, wallet } from "../Documents.ts"
import { input, makeDataApi } from "../Library.ts"
import { makeStubClient } from "../StubClient.ts"
import { measuredSubject } from "../Subject.ts"

const url = `http://list.test/api/v2.2/${wallet}/erc20/transfers?chain=eth`

const cursor = (page: number): string => String(page).padStart(8, "0")

// Created once, because creating them takes longer than reading them
const last = Buffer.from(transfersPage("strings", null))
const pages = distinctPages("strings", cursor(0))

/** The number of pages of the list. */
let pageCount = 0

const bodies = pages.map((page) => Buffer.from(page))
const cursorOffset = bodies[0]?.indexOf(cursor(0)) ?? 0

/** A client of the list. The cursor of a page is the number of the next one. */
const client = makeStubClient(({ searchParams }) => {
  const next = Number(searchParams.get("cursor") ?? 0) + 1
  const body = bodies[next % bodies.length]
  if (next === pageCount || body === undefined) return last
  body.write(cursor(next), cursorOffset)
  return body
})

const countRecords = <A, E>(records: Stream.Stream<A, E>): Effect.Effect<number> => {
  let total = 0
  const add = (chunk: Chunk.Chunk<A>) =>
    Effect.sync(() => {
      total += chunk.length
    })
  return records.pipe(Stream.runForEachChunk(add), Effect.map(() => total), Effect.orDie)
}

const readPage = (pageUrl: string) =>
  client.get(pageUrl).pipe(
    Effect.flatMap((response) => response.json),
    Effect.filterOrDieMessage(isParsedPage, "not a page"),
    Effect.map(({ cursor, result }) =>
      [
        Chunk.unsafeFromArray(result),
        Option.map(Option.fromNullable(cursor), (cursor) => `${url}&cursor=${cursor}`)
      ] as const
    )
  )

/** A subject that reads the list when it has as many pages as iterations. */
const listSubject = <A, E>(name: string, records: Stream.Stream<A, E>) =>
  measuredSubject(name, (pages) => {
    pageCount = pages
    return countRecords(records)
  })

export const pagination: Benchmark = {
  name: "pagination",
  comparisons: Effect.gen(function*() {
    const data = yield* makeDataApi(Layer.succeed(HttpClient.HttpClient, client))
    const items = listSubject("DataApi.walletTransfers.items", data.walletTransfers.items(input))
    return [{
      title: `pagination without network, pages of ${formatSize(pages[0] ?? "")}`,
      unit: "page",
      records: pageSize,
      baseline: listSubject("Effect Stream + HttpClient + json", Stream.paginateChunkEffect(url, readPage)),
      blockquarry: [{ ...items, target: { ratio: 1.6, cost: pageSize / 150_000 * 1_000_000 } }]
    }]
  })
}
