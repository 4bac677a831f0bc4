/** A program that uses DataApi, whose bundle is measured. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const program = Effect.gen(function*() {
  const data = yield* DataApi.DataApi
  const { usdPrice } = yield* data.tokenPrice({ address: "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993" })
  yield* Console.log(usdPrice)
})

const layer = DataApi.layer({ apiKey: Redacted.make("key"), baseUrl: "https://api.test" }).pipe(
  Layer.provide(FetchHttpClient.layer)
)

void Effect.runPromise(Effect.provide(program, layer))
