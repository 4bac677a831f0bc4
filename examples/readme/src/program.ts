import * as DataApi from "@blockquarry/http/DataApi"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const program = Effect.gen(function*() {
  const data = yield* DataApi.DataApi

  const price = yield* data.tokenPrice({
    address: "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993",
    chain: "eth"
  })
  yield* Console.log(`${price.tokenName}: ${price.usdPrice} USD`)

  // `value` is an exact bigint; the next page is requested when it is needed
  const total = yield* data.walletTransfers.items({ address: "0xba766b2113a53a5900c11859ceca38ca9918c6b4" })
    .pipe(
      Stream.take(250),
      Stream.runFold(0n, (sum, transfer) => sum + (transfer.value ?? 0n))
    )
  yield* Console.log(`250 transfers moved ${total} units`)
}).pipe(
  // Every failure is a tagged error
  Effect.catchTag("NotFoundError", (error) => Console.log(error.message))
)

const sandboxDataApi = DataApi.layer({
  baseUrl: Sandbox.baseUrls.data,
  apiKey: Redacted.make(Sandbox.apiKey)
}).pipe(
  Layer.provide(Sandbox.layer())
)

await Effect.runPromise(Effect.provide(program, sandboxDataApi))
