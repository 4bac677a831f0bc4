/** The engine without network: raw calls, cache hits and the first call of a client. */
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Benchmark } from "../Comparison.ts"
import { countRecords, formatSize, pageSize, transfersPage } from "../Documents.ts"
import { input, makeDataApi, makeRawCalls } from "../Library.ts"
import { makeStubClient } from "../StubClient.ts"
import { effectSubject, syncSubject } from "../Subject.ts"

const page = transfersPage("strings", "next")

/** The overhead of `Engine.raw` over its HttpClient. */
export const raw: Benchmark = {
  name: "raw",
  comparisons: Effect.gen(function*() {
    const { baseline, call, response } = yield* makeRawCalls(walletTransfers, page)
    const json = Effect.as(Effect.flatMap(response, (response) => response.json), 1)
    return [{
      title: `raw page without network, ${formatSize(page)}`,
      unit: "call",
      records: 1,
      baseline,
      peers: [effectSubject("HttpClient + json", json)],
      blockquarry: [{ ...effectSubject("Engine.raw", yield* call()), target: { ratio: 1.5 } }]
    }]
  })
}

/** Cache hits, raw and decoded. */
export const hits: Benchmark = {
  name: "hits",
  comparisons: Effect.gen(function*() {
    const { bytes, call, client, countIfComplete } = yield* makeRawCalls(walletTransfers, page)
    const cached = { cache: ResponseCache.standard }
    const data = yield* makeDataApi(Layer.succeed(HttpClient.HttpClient, client), cached)
    const map = new Map([["key", bytes]])
    const decoded = Effect.map(
      data.walletTransfers(input),
      ({ result }) => result.length === pageSize ? 1 : 0
    )
    return [{
      title: "hit through the library, 91 KB",
      unit: "hit",
      records: 1,
      baseline: syncSubject("Map", () => countIfComplete(map.get("key")?.byteLength ?? 0)),
      blockquarry: [
        { ...effectSubject("Engine.raw", yield* call(cached)), target: { cost: 4 } },
        { ...effectSubject("DataApi.walletTransfers", decoded), target: { cost: 10 } }
      ]
    }]
  })
}

/** Creates a client with its engine, and gets a page. */
export const firstCall: Benchmark = {
  name: "first-call",
  comparisons: Effect.sync(() => {
    const bytes = Buffer.from(page)
    const client = makeStubClient(() => bytes)
    const plainCall = client.get("http://first.test").pipe(
      Effect.flatMap((response) => response.json),
      Effect.map(countRecords)
    )
    const call = makeDataApi(Layer.succeed(HttpClient.HttpClient, client)).pipe(
      Effect.flatMap((data) => data.walletTransfers(input)),
      Effect.map(({ result }) => result.length),
      Effect.scoped
    )
    return [{
      title: "first call of a new client without network, 91 KB",
      unit: "client",
      records: pageSize,
      baseline: effectSubject("HttpClient + json", plainCall),
      blockquarry: [{ ...effectSubject("DataApi.walletTransfers", call), target: { cost: 2000 } }]
    }]
  })
}
