/** Pagination of a long list, without network. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Benchmark } from "../Benchmark.ts"
import { clientOptions, makeDataApi } from "../BlockquarryClient.ts"
import type { Subject } from "../Comparison.ts"
import {
  distinctPages,
  formatSize,
  isParsedPage,
  pageSize,
  rotate,
  transfersPage,
  wallet
} from "../Documents.ts"
import * as StubClient from "../StubClient.ts"

const base = "http://list.test"
const url = `${base}/api/v2.2/${wallet}/erc20/transfers?chain=eth`

const cursor = (page: number): string => String(page).padStart(8, "0")

// Created once, because creating them takes longer than reading them
const last = Buffer.from(transfersPage("strings", null))
const pages = distinctPages("strings", cursor(0))

/** The number of pages of the list. */
let pageCount = 0

const bodies = pages.map((page) => Buffer.from(page))
const cursorOffset = bodies[0]?.indexOf(cursor(0)) ?? 0

/** A client of the list. The cursor of a page is the number of the next one. */
const client = StubClient.makeStubClient(({ searchParams }) => {
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

const nextText = rotate(pages)

function* parsedPages(count: number) {
  for (let page = 0; page < count; page++) {
    const document: unknown = JSON.parse(nextText())
    yield isParsedPage(document) ? document.result : []
  }
}

const generator: Subject = {
  name: "generator with JSON.parse only",
  batch: (pages) =>
    Effect.sync(() => {
      let total = 0
      for (const records of parsedPages(pages)) total += records.length
      return total
    })
}

const effectStream: Subject = {
  name: "Effect Stream + HttpClient + json",
  batch: (pages) => {
    pageCount = pages
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
    return countRecords(Stream.paginateChunkEffect(url, readPage))
  }
}

const items: Effect.Effect<Subject, never, Scope.Scope> = Effect.map(
  makeDataApi(Context.make(HttpClient.HttpClient, client), clientOptions(base)),
  (data) => ({
    name: "DataApi.walletTransfers.items",
    target: { ratio: 1.6, cost: pageSize / 150_000 * 1_000_000 },
    batch: (pages) => {
      pageCount = pages
      return countRecords(data.walletTransfers.items({ address: wallet, chain: "eth" }))
    }
  })
)

const megabytes = Effect.sync(() => Math.round(process.memoryUsage.rss() / 2 ** 20))

/** Memory before and after pagination of a long list by Blockquarry. */
const memory = (subject: Subject, pages: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const before = yield* megabytes
    yield* subject.batch(pages)
    return [`RSS ${before} MB before and ${yield* megabytes} MB after ${pages} pages read by Blockquarry`]
  })

export const pagination: Benchmark = {
  name: "pagination",
  comparisons: Effect.map(items, (blockquarry) => [{
    title: `pagination without network, pages of ${formatSize(pages[0] ?? "")}`,
    unit: "page",
    records: pageSize,
    baseline: effectStream,
    peers: [generator],
    blockquarry: [blockquarry],
    notes: memory(blockquarry, 2000)
  }])
}
