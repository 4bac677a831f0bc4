/** A call over the loopback interface, decoded to typed values. */
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "undici"
import type { Benchmark, Comparison } from "../Comparison.ts"
import { countRecords, distinctPages, examplePrice, formatSize, pageSize, wallet } from "../Documents.ts"
import { input, makeDataApi, requestHeaders as headers } from "../Library.ts"
import { startUpstream } from "../Servers.ts"
import { effectSubject, promiseSubject } from "../Subject.ts"

const paths = {
  price: `/api/v2.2/erc20/${wallet}/price`,
  transfers: `/api/v2.2/${wallet}/erc20/transfers`
}

const pages = distinctPages("strings", "next")

export const call: Benchmark = {
  name: "call",
  comparisons: Effect.gen(function*() {
    const { baseUrl } = yield* startUpstream({
      bodies: { [paths.price]: examplePrice, [paths.transfers]: pages }
    })
    const client = Context.get(yield* Layer.build(NodeHttpClient.layerUndici), HttpClient.HttpClient)
    const data = yield* makeDataApi(Layer.orDie(UndiciTransport.layer), { baseUrl })
    const compare = (
      title: string,
      records: number,
      path: string,
      name: string,
      call: Effect.Effect<number, unknown>
    ): Comparison => {
      const url = `${baseUrl}${path}?chain=eth`
      return {
        title,
        unit: "call",
        records,
        baseline: promiseSubject("undici.request + JSON.parse", async () => {
          const { body } = await request(url, { headers })
          return countRecords(JSON.parse(await body.text()))
        }),
        peers: [
          promiseSubject(
            "fetch + json",
            async () => countRecords(await (await fetch(url, { headers })).json())
          ),
          effectSubject(
            "Effect HttpClient over undici + json",
            client.get(url, { headers }).pipe(
              Effect.flatMap((response) => response.json),
              Effect.map(countRecords)
            )
          )
        ],
        blockquarry: [{ ...effectSubject(name, call), target: { ratio: 1.6 } }]
      }
    }
    return [
      compare(
        `typed price call, ${formatSize(examplePrice)}`,
        1,
        paths.price,
        "DataApi.tokenPrice",
        Effect.map(data.tokenPrice(input), ({ tokenName }) => tokenName === null ? 0 : 1)
      ),
      compare(
        `typed page call, ${formatSize(pages[0] ?? "")}`,
        pageSize,
        paths.transfers,
        "DataApi.walletTransfers",
        Effect.map(data.walletTransfers(input), ({ result }) => result.length)
      )
    ]
  })
}
