/** The same program as `dataApi.ts`, with nothing but Effect: HttpClient, Schema, Stream. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const Price = Schema.Struct({ usdPrice: Schema.NullOr(Schema.Number) })

const pages = Stream.paginateEffect(
  "1",
  (page) =>
    HttpClientRequest.get(`https://api.test/api/v2.2/erc20/0x/price?page=${page}`).pipe(
      HttpClientRequest.setHeader("x-api-key", "key"),
      HttpClient.execute,
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Price)),
      Effect.retry({ times: 2 }),
      Effect.timeout("10 seconds"),
      Effect.map(({ usdPrice }) => [usdPrice, Option.none<string>()] as const)
    )
)

void Effect.runPromise(
  pages.pipe(Stream.runForEach(Console.log), Effect.provide(FetchHttpClient.layer))
)
