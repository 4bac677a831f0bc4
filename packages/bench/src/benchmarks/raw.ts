/** The overhead of `Engine.raw` over its HttpClient, without network. */
import type { Operation } from "@blockquarry/core/Operation"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Engine from "@blockquarry/http/Engine"
import * as Upstream from "@blockquarry/http/Upstream"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Benchmark } from "../Benchmark.ts"
import { apiKey, clientOptions } from "../BlockquarryClient.ts"
import type { Comparison, Target } from "../Comparison.ts"
import { examplePrice, formatSize, transfersPage, wallet } from "../Documents.ts"
import * as StubClient from "../StubClient.ts"
import { effectSubject } from "../Subject.ts"

const base = "http://raw.test"
const headers = { accept: "application/json", "x-api-key": apiKey }

const compareRaw = <I, A, O, W>(
  title: string,
  body: string,
  operation: Operation<I, A, O, W>,
  target: Target = {}
): Effect.Effect<Comparison> =>
  Effect.gen(function*() {
    const input = Either.getOrThrow(decodeInput(operation, { address: wallet, chain: "eth" }))
    const request = encodeRequest(operation, input)
    const bytes = Buffer.from(body)
    const client = StubClient.makeStubClient(() => bytes)
    const upstream = yield* Upstream.make("data", clientOptions(base)).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.orDie
    )
    const engine = yield* Effect.provide(Engine.Engine, Engine.layer)
    const callRaw = engine.raw(operation, upstream, Engine.bodyScan)
    const url = `${base}/api/v2.2${request.path}?chain=eth`
    const countIfComplete = (length: number) => length === bytes.byteLength ? 1 : 0
    return {
      title: `raw ${title} without network, ${formatSize(body)}`,
      unit: "call",
      records: 1,
      baseline: effectSubject(
        "HttpClient + arrayBuffer",
        client.get(url, { headers }).pipe(
          Effect.flatMap((response) => response.arrayBuffer),
          Effect.map(({ byteLength }) => countIfComplete(byteLength))
        )
      ),
      peers: [
        effectSubject(
          "HttpClient + json",
          client.get(url, { headers }).pipe(Effect.flatMap((response) => response.json), Effect.as(1))
        )
      ],
      blockquarry: [{
        ...effectSubject(
          "Engine.raw",
          Effect.map(callRaw(input, request), ({ response }) => countIfComplete(response.bytes.byteLength))
        ),
        target
      }]
    }
  })

export const raw: Benchmark = {
  name: "raw",
  comparisons: Effect.all([
    compareRaw("price", examplePrice, tokenPrice),
    compareRaw("page", transfersPage("strings", "next"), walletTransfers, { ratio: 1.5 })
  ])
}
