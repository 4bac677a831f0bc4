/** How cost grows with the size of pages and the number of API keys, clients and cached responses. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Benchmark, Comparison, Subject } from "../Comparison.ts"
import { examplePrice, smallDocument, transfersPage, wallet } from "../Documents.ts"
import { apiKey, makeDataApi } from "../Library.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as Servers from "../Servers.ts"
import { makeStubClient } from "../StubClient.ts"
import { effectSubject } from "../Subject.ts"

/** A client without network whose upstream always returns the same body. */
const makeClient = (body: string, options: Partial<ApiOptions> = {}, onRequest: () => void = () => {}) => {
  const bytes = Buffer.from(body)
  const client = makeStubClient(() => {
    onRequest()
    return bytes
  })
  return makeDataApi(Layer.succeed(HttpClient.HttpClient, client), options)
}

/** Different API keys of the same length. */
const apiKeys = (count: number): ReadonlyArray<ApiKey> =>
  Array.from({ length: count }, (_, index) => ({
    label: `key ${index}`,
    key: Redacted.make(`${String(index).padStart(6, "0")}${apiKey.slice(6)}`)
  }))

/** A comparison of the same work with growing numbers of something. The smallest is the baseline. */
const grow = <R>(
  title: string,
  unit: string,
  [first, ...others]: readonly [number, ...Array<number>],
  subjectWith: (count: number) => Effect.Effect<Subject, never, R>
): Effect.Effect<Comparison, never, R> =>
  Effect.map(
    Effect.all([subjectWith(first), Effect.forEach(others, subjectWith)]),
    ([baseline, blockquarry]) => ({ title, unit, records: 1, baseline, blockquarry })
  )

const pageSizes = grow(
  "typed page without network",
  "call",
  [10, 100, 1000],
  (length) =>
    Effect.map(makeClient(transfersPage("strings", null, length)), (data) =>
      effectSubject(
        `${length} records`,
        Effect.map(
          data.walletTransfers({ address: wallet, chain: "eth" }),
          ({ result }) => result.length === length ? 1 : 0
        )
      ))
)

const keyCounts = grow(
  "typed price without network",
  "call",
  [1, 10, 100],
  (count) =>
    Effect.map(
      makeClient(examplePrice, { apiKey: apiKeys(count) }),
      (data) => effectSubject(`${count} API keys`, Effect.as(data.tokenPrice({ address: wallet }), 1))
    )
)

const cachedCounts = grow(
  "hit through the library, 1 record",
  "call",
  [1, 1000, 10_000],
  (count) =>
    Effect.gen(function*() {
      let requests = 0
      const data = yield* makeClient(
        transfersPage("strings", null, 1),
        { cache: ResponseCache.standard },
        () => {
          requests += 1
        }
      )
      let next = 0
      // A list up to a final block is fresh for an hour
      const list = Effect.suspend(() => {
        next = (next + 1) % count
        return data.walletTransfers({ address: `0x${String(next).padStart(40, "0")}`, to_block: 1 })
      })
      yield* Effect.orDie(Effect.repeatN(list, count))
      return effectSubject(
        `${count} cached responses`,
        Effect.map(list, () => requests <= count + 1 ? 1 : 0)
      )
    })
)

const clientCounts = Effect.gen(function*() {
  const upstream = yield* Servers.startUpstream({ bodies: { [smallDocument.path]: smallDocument.body } })
  const comparison = yield* grow(
    "cached hit of the proxy",
    "request",
    [1, 100, 5000],
    (count) =>
      Effect.map(
        QuarryProxy.startServer(`${count} clients`, upstream.baseUrl, {
          clients: Array.from(
            { length: count - 1 },
            (_, index) => QuarryProxy.clientConfig(`client-${index}`, `token ${index}`)
          )
        }),
        Servers.subjectsWith(smallDocument, Servers.cacheHits, upstream)
      )
  )
  return { ...comparison, measureOptions: Servers.measureOptions }
})

export const growth: Benchmark = {
  name: "growth",
  comparisons: Effect.all([pageSizes, keyCounts, cachedCounts, clientCounts])
}
