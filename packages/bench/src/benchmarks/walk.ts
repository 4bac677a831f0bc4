/** A walk through a long list, without network. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Benchmark } from "../Benchmark.ts"
import { isPage, pageSize, size, transfers, wallet } from "../Documents.ts"
import { dataApi } from "../Ours.ts"
import type { Contestant } from "../Race.ts"
import * as StubClient from "../StubClient.ts"

const base = "http://list.test"
const url = `${base}/api/v2.2/${wallet}/erc20/transfers?chain=eth`

const cursor = (page: number): string => String(page).padStart(8, "0")

// Made once: they take longer to make than to read.
const last = Buffer.from(transfers("strings", null))
const page = transfers("strings", cursor(0))

/** A list of so many pages. The cursor of each is the number of the next. */
const list = (pages: number): HttpClient.HttpClient => {
  const body = Buffer.from(page)
  const place = body.indexOf(cursor(0))
  return StubClient.make(({ searchParams }) => {
    const next = Number(searchParams.get("cursor") ?? 0) + 1
    if (next === pages) return last
    body.write(cursor(next), place)
    return body
  })
}

const count = <A, E>(records: Stream.Stream<A, E>): Effect.Effect<number> => {
  let got = 0
  const add = (chunk: Chunk.Chunk<A>) =>
    Effect.sync(() => {
      got += chunk.length
    })
  return records.pipe(Stream.runForEachChunk(add), Effect.map(() => got), Effect.orDie)
}

const texts = Array.from({ length: 50 }, (_, page) => transfers("strings", cursor(page + 1)))

function* bare(pages: number) {
  for (let page = 0; page < pages; page++) {
    const document: unknown = JSON.parse(texts[page % texts.length] ?? "")
    yield isPage(document) ? document.result : []
  }
}

const limit: Contestant = {
  name: "a bare generator, JSON.parse only",
  batch: (pages) =>
    Effect.sync(() => {
      let got = 0
      for (const records of bare(pages)) got += records.length
      return got
    })
}

const plain: Contestant = {
  name: "Effect Stream + HttpClient + json",
  batch: (pages) => {
    const client = list(pages)
    const read = (asked: string) =>
      client.get(asked).pipe(
        Effect.flatMap((response) => response.json),
        Effect.filterOrDieMessage(isPage, "not a page"),
        Effect.map(({ cursor, result }) =>
          [
            Chunk.unsafeFromArray(result),
            Option.map(Option.fromNullable(cursor), (cursor) => `${url}&cursor=${cursor}`)
          ] as const
        )
      )
    return count(Stream.paginateChunkEffect(url, read))
  }
}

const ours: Contestant = {
  name: "DataApi.walletTransfers.items",
  batch: (pages) =>
    Effect.flatMap(
      dataApi(list(pages), base),
      (data) => count(data.walletTransfers.items({ address: wallet, chain: "eth" }))
    )
}

const megabytes = Effect.sync(() => Math.round(process.memoryUsage.rss() / 2 ** 20))

/** Memory before and after a long walk of ours. */
const memory = (pages: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const before = yield* megabytes
    yield* ours.batch(pages)
    return [`RSS ${before} MB before and ${yield* megabytes} MB after ${pages} pages of ours`]
  })

export const walk: Benchmark = {
  name: "walk",
  races: Effect.succeed([{
    title: `walk: pages of ${pageSize} transfers, ${size(texts[0] ?? "")} each`,
    unit: "page",
    records: pageSize,
    contestants: [limit, plain, ours],
    notes: memory(2000)
  }])
}
