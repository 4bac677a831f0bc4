/** One call over the loopback, fetched and typed. */
import type * as DataApi from "@blockquarry/http/DataApi"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "undici"
import type { Benchmark } from "../Benchmark.ts"
import { awaiting, running } from "../Contestant.ts"
import { pageSize, price, recordsOf, size, transfers, wallet } from "../Documents.ts"
import { dataApi, key } from "../Ours.ts"
import type { Race } from "../Race.ts"
import { serve } from "../Server.ts"

const paths = {
  price: `/api/v2.2/erc20/${wallet}/price`,
  transfers: `/api/v2.2/${wallet}/erc20/transfers`
}

const page = transfers("strings", "next")

const headers = { accept: "application/json", "x-api-key": key }

interface Asked {
  readonly title: string
  readonly records: number
  readonly url: string
  readonly client: HttpClient.HttpClient
  readonly ours: readonly [name: string, call: Effect.Effect<number, unknown>]
}

const race = ({ client, ours: [name, call], records, title, url }: Asked): Race => ({
  title: `call: ${title} over the loopback`,
  unit: "call",
  records,
  contestants: [
    awaiting("undici.request + JSON.parse", async () => {
      const { body } = await request(url, { headers })
      return recordsOf(JSON.parse(await body.text()))
    }),
    awaiting("fetch + json", async () => recordsOf(await (await fetch(url, { headers })).json())),
    running(
      "Effect HttpClient over undici + json",
      client.get(url, { headers }).pipe(Effect.flatMap((response) => response.json), Effect.map(recordsOf))
    ),
    running(name, call)
  ]
})

/** The same question as in the URLs of the others. */
const asked = { address: wallet, chain: "eth" } as const

const ask = (data: DataApi.DataApiService) => ({
  price: Effect.map(data.tokenPrice(asked), ({ tokenName }) => tokenName === null ? 0 : 1),
  transfers: Effect.map(data.walletTransfers(asked), ({ result }) => result.length)
})

export const call: Benchmark = {
  name: "call",
  races: Effect.gen(function*() {
    const { address } = yield* serve({ [paths.price]: price, [paths.transfers]: page })
    const client = yield* Effect.flatMap(
      Layer.build(NodeHttpClient.layerUndici),
      (context) => Effect.provide(HttpClient.HttpClient, context)
    )
    const ours = ask(yield* dataApi(client, address))
    return [
      race({
        title: `a price, ${size(price)},`,
        records: 1,
        url: `${address}${paths.price}?chain=eth`,
        client,
        ours: ["DataApi.tokenPrice", ours.price]
      }),
      race({
        title: `a page of ${pageSize} transfers, ${size(page)},`,
        records: pageSize,
        url: `${address}${paths.transfers}?chain=eth`,
        client,
        ours: ["DataApi.walletTransfers", ours.transfers]
      })
    ]
  })
}
