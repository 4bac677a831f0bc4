/** Configuration is validated when a layer is built. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { describe, expect, it } from "@effect/vitest"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { address, hash } from "./support/Examples.ts"
import { priceReply } from "./support/PriceCalls.ts"
import { errorOf, run } from "./support/Programs.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import { key } from "./support/TestClients.ts"

const environment = {
  QUARRY_API_KEY: key,
  QUARRY_BASE_URL: "https://main.test",
  QUARRY_STREAMS_URL: "https://streams.test",
  QUARRY_LEDGER_URL: "https://ledger.test",
  QUARRY_LEDGER_TESTNET_URL: "https://testnet.test"
}

const script = () => priceReply

const price = Effect.flatMap(DataApi.DataApi, (data) => data.tokenPrice({ address }))

const options: ApiOptions = { apiKey: Redacted.make(key), baseUrl: "https://host.test" }

describe("layerConfig", () => {
  const layers = Layer.mergeAll(
    DataApi.layerConfig(),
    StreamsApi.layerConfig(),
    LedgerApi.layerConfig(),
    LedgerTestnetApi.layerConfig()
  )

  it.effect("reads the base URL of each API and the API key", () =>
    Effect.gen(function*() {
      const { requests } = yield* run(
        Effect.gen(function*() {
          yield* price
          yield* Effect.ignore(
            Effect.flatMap(StreamsApi.StreamsApi, (streams) =>
              streams.updateStreamStatus({ id: "s", status: "active" }))
          )
          const ledger = yield* LedgerApi.LedgerApi
          const ledgerTestnet = yield* LedgerTestnetApi.LedgerTestnetApi
          yield* Effect.ignore(ledger.ledgerTransaction({ txn_hash: hash }))
          yield* Effect.ignore(ledgerTestnet.ledgerTransaction({ txn_hash: hash }))
        }),
        layers,
        script,
        environment
      )
      expect(requests.map(({ url }) =>
        url.host
      )).toEqual([
        "main.test",
        "streams.test",
        "ledger.test",
        "testnet.test"
      ])
      expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual([key, key, key, key])
    }))

  it.effect("sends no x-api-key header to the ledger if no API key is set, and reports errors as with one", () =>
    Effect.gen(function*() {
      const transaction = Effect.flatMap(
        LedgerApi.LedgerApi,
        (ledger) => Effect.flip(ledger.ledgerTransaction({ txn_hash: hash }))
      )
      const { requests, value } = yield* run(
        Effect.all([transaction, transaction]),
        LedgerApi.layer({ baseUrl: "https://ledger.test" }),
        [
          ScriptedClient.json({ message: "not found" }, 404, { "etag": "x" }),
          ScriptedClient.json({ hash: true, type: "user_transaction" })
        ]
      )
      expect(value).toMatchObject([
        { _tag: "NotFoundError", serverMessage: "not found" },
        { _tag: "InvalidResponseError", path: "hash", message: expect.stringContaining("got true") }
      ])
      const names = ["accept", "user-agent"]
      expect(requests.map(({ headers }) => Object.keys(headers))).toEqual([names, names])
    }))

  it.effect("prefers options to the environment, and needs no variable for them", () =>
    Effect.gen(function*() {
      const { requests } = yield* run(price, DataApi.layerConfig(options), script, {
        QUARRY_BASE_URL: "https://main.test"
      })
      expect(requests.map(({ url }) => url.host)).toEqual(["host.test"])
      expect(yield* errorOf(DataApi.layerConfig(options), { QUARRY_RATE_LIMIT: "fast" })).toContain(
        "QUARRY_RATE_LIMIT"
      )
      yield* run(price, DataApi.layerConfig({ ...options, rateLimit: RateLimit.none }), script, {
        QUARRY_RATE_LIMIT: "fast"
      })
    }))
})

describe("the hint of an error", () => {
  const replyOf = (status: number) => ScriptedClient.make(() => ScriptedClient.respond(status)).client
  const unreachable = HttpClient.make((request) =>
    Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
  )

  const hints: ReadonlyArray<
    readonly [
      name: string,
      layer: Layer.Layer<DataApi.DataApi, ConfigError, HttpClient.HttpClient>,
      ReadonlyArray<string>
    ]
  > = [
    ["variables", DataApi.layerConfig(), ["QUARRY_API_KEY", "QUARRY_BASE_URL"]],
    ["options", DataApi.layer(options), ["the option apiKey", "the option baseUrl"]],
    ["options besides variables", DataApi.layerConfig(options), ["the option apiKey", "the option baseUrl"]],
    [
      "a variable and an option",
      DataApi.layerConfig({ baseUrl: "https://host.test" }),
      ["QUARRY_API_KEY", "the option baseUrl"]
    ],
    [
      "options of several APIs",
      Blockquarry.layer({ apiKey: Redacted.make(key), baseUrls: { data: "https://host.test" } }),
      ["the option apiKey", "the option baseUrls.data"]
    ],
    ["variables of several APIs", Blockquarry.layerConfig({ apis: ["data"] }), [
      "QUARRY_API_KEY",
      "QUARRY_BASE_URL"
    ]]
  ]

  it.effect.each(hints)(
    "names what is configured: %s",
    ([, layer, [apiKey, baseUrl]]) =>
      Effect.gen(function*() {
        const hintOf = (client: HttpClient.HttpClient) =>
          Effect.flatMap(DataApi.DataApi, (data) => data.tokenPrice({ address }, { retry: RetryPolicy.none }))
            .pipe(
              Effect.flip,
              Effect.map((error) => "hint" in error ? error.hint : error),
              Effect.provide(layer),
              Effect.provideService(HttpClient.HttpClient, client),
              Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
            )
        expect(yield* hintOf(replyOf(401))).toBe(`Check ${apiKey}.`)
        expect(yield* hintOf(unreachable)).toBe(`Check ${baseUrl} and your network.`)
      })
  )
})
