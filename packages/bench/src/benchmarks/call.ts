/** A call over the loopback interface, decoded to typed values. */
import type * as DataApi from "@blockquarry/http/DataApi"
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "undici"
import type { Benchmark } from "../Benchmark.ts"
import { apiKey, clientOptions, makeDataApi } from "../BlockquarryClient.ts"
import type { Comparison } from "../Comparison.ts"
import { countRecords, distinctPages, examplePrice, formatSize, pageSize, wallet } from "../Documents.ts"
import { startStubServer } from "../StubServer.ts"
import { effectSubject, promiseSubject } from "../Subject.ts"

const paths = {
  price: `/api/v2.2/erc20/${wallet}/price`,
  transfers: `/api/v2.2/${wallet}/erc20/transfers`
}

const pages = distinctPages("strings", "next")

const headers = { accept: "application/json", "x-api-key": apiKey }

interface CallComparisonOptions {
  readonly title: string
  readonly records: number
  readonly url: string
  readonly client: HttpClient.HttpClient
  readonly blockquarry: readonly [name: string, call: Effect.Effect<number, unknown>]
}

const compareCall = (
  { blockquarry: [name, call], client, records, title, url }: CallComparisonOptions
): Comparison => ({
  title,
  unit: "call",
  records,
  baseline: promiseSubject("undici.request + JSON.parse", async () => {
    const { body } = await request(url, { headers })
    return countRecords(JSON.parse(await body.text()))
  }),
  peers: [
    promiseSubject("fetch + json", async () => countRecords(await (await fetch(url, { headers })).json())),
    effectSubject(
      "Effect HttpClient over undici + json",
      client.get(url, { headers }).pipe(Effect.flatMap((response) => response.json), Effect.map(countRecords))
    )
  ],
  blockquarry: [{ ...effectSubject(name, call), target: { ratio: 1.6 } }]
})

/** Equivalent to the URLs of the other subjects. */
const input = { address: wallet, chain: "eth" } as const

const callsOf = (data: DataApi.DataApiService) => ({
  price: Effect.map(data.tokenPrice(input), ({ tokenName }) => tokenName === null ? 0 : 1),
  transfers: Effect.map(data.walletTransfers(input), ({ result }) => result.length)
})

export const call: Benchmark = {
  name: "call",
  comparisons: Effect.gen(function*() {
    const { baseUrl } = yield* startStubServer({
      [paths.price]: examplePrice,
      [paths.transfers]: pages
    })
    const client = Context.get(yield* Layer.build(NodeHttpClient.layerUndici), HttpClient.HttpClient)
    const calls = callsOf(
      yield* makeDataApi(yield* Effect.orDie(Layer.build(UndiciTransport.layer)), clientOptions(baseUrl))
    )
    return [
      compareCall({
        title: `typed price call, ${formatSize(examplePrice)}`,
        records: 1,
        url: `${baseUrl}${paths.price}?chain=eth`,
        client,
        blockquarry: ["DataApi.tokenPrice", calls.price]
      }),
      compareCall({
        title: `typed page call, ${formatSize(pages[0] ?? "")}`,
        records: pageSize,
        url: `${baseUrl}${paths.transfers}?chain=eth`,
        client,
        blockquarry: ["DataApi.walletTransfers", calls.transfers]
      })
    ]
  })
}
