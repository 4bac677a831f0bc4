/** The program of `dataApi.ts` with an operation of its own. */
import { Address } from "@blockquarry/core/Address"
import { inputSchema } from "@blockquarry/core/InputSchema"
import { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import { readByPost } from "@blockquarry/core/Operation"
import * as Api from "@blockquarry/http/Api"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const erc20Prices = readByPost({
  id: "erc20Prices",
  api: "data",
  path: "/erc20/prices",
  input: inputSchema({ tokens: Schema.NonEmptyArray(Schema.Struct({ token_address: Address })) }),
  output: Schema.Array(TokenPrice),
  cost: 10,
  docs: { summary: "Get the prices of several ERC20 tokens" }
})

class PricesApi extends Api.Tag<PricesApi>()("bench/PricesApi", { operations: { erc20Prices } }) {}

const program = Effect.gen(function*() {
  const api = yield* PricesApi
  const prices = yield* api.erc20Prices({
    tokens: [{ token_address: "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993" }]
  })
  yield* Console.log(prices.map(({ usdPrice }) => usdPrice))
})

const layer = Api.layer(PricesApi, { apiKey: Redacted.make("key"), baseUrl: "https://api.test" }).pipe(
  Layer.provide(FetchHttpClient.layer)
)

void Effect.runPromise(Effect.provide(program, layer))
