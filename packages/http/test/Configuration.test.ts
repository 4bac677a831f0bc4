/** Configuration is validated when a layer is built. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
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
import * as ScriptedClient from "./support/ScriptedClient.ts"
import { key } from "./support/TestClients.ts"

const environment = {
  QUARRY_API_KEY: key,
  QUARRY_BASE_URL: "https://main.test",
  QUARRY_STREAMS_URL: "https://streams.test",
  QUARRY_LEDGER_URL: "https://ledger.test",
  QUARRY_LEDGER_TESTNET_URL: "https://testnet.test"
}

type Environment = Readonly<Record<string, string>>

/** Provides an HttpClient that replies with a price, and returns the requests too. */
const run = <A, E, R>(
  use: Effect.Effect<A, E, R>,
  layer: Layer.Layer<R, ConfigError, HttpClient.HttpClient>,
  variables: Environment = {}
) => {
  const { client, requests } = ScriptedClient.make(() => priceReply)
  return Effect.map(
    use.pipe(
      Effect.provide(layer),
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))
    ),
    (value) => ({ value, requests })
  )
}

/** The message of the error with which a layer fails. */
const errorOf = (
  layer: Layer.Layer<never, ConfigError, HttpClient.HttpClient>,
  variables?: Environment
): Effect.Effect<string, unknown> => Effect.map(Effect.flip(run(Effect.void, layer, variables)), String)

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

  it.effect("sends no x-api-key header to the ledger if no API key is set", () =>
    Effect.gen(function*() {
      const { client, requests } = ScriptedClient.make(() =>
        ScriptedClient.json({ message: "not found" }, 404, { "etag": "x" })
      )
      const error = yield* Effect.flatMap(
        LedgerApi.LedgerApi,
        (ledger) => ledger.ledgerTransaction({ txn_hash: hash })
      ).pipe(
        Effect.flip,
        Effect.provide(LedgerApi.layer({ baseUrl: "https://ledger.test" })),
        Effect.provideService(HttpClient.HttpClient, client)
      )
      expect(error).toMatchObject({ _tag: "NotFoundError", serverMessage: "not found" })
      expect(requests.map(({ headers }) => Object.keys(headers))).toEqual([["accept", "user-agent"]])
    }))

  it.effect("reports which field of a response is invalid if no API key is set", () =>
    Effect.gen(function*() {
      const { client } = ScriptedClient.make(() =>
        ScriptedClient.json({ hash: true, type: "user_transaction" })
      )
      const error = yield* Effect.flatMap(
        LedgerApi.LedgerApi,
        (ledger) => ledger.ledgerTransaction({ txn_hash: hash })
      ).pipe(
        Effect.flip,
        Effect.provide(LedgerApi.layer({ baseUrl: "https://ledger.test" })),
        Effect.provideService(HttpClient.HttpClient, client)
      )
      expect(error).toMatchObject({ _tag: "InvalidResponseError", path: "hash" })
      expect(error.message).toContain("got true")
    }))

  it.effect("takes policies besides the environment", () =>
    Effect.gen(function*() {
      const { requests } = yield* run(
        Effect.all([price, price]),
        DataApi.layerConfig({ cache: ResponseCache.standard }),
        environment
      )
      expect(requests).toHaveLength(1)
    }))

  it.effect("prefers options to the environment, and needs no variable for them", () =>
    Effect.gen(function*() {
      const { requests } = yield* run(price, DataApi.layerConfig(options), {
        QUARRY_BASE_URL: "https://main.test"
      })
      expect(requests.map(({ url }) => url.host)).toEqual(["host.test"])
      expect(yield* errorOf(DataApi.layerConfig(options), { QUARRY_RATE_LIMIT: "fast" })).toContain(
        "QUARRY_RATE_LIMIT"
      )
      yield* run(price, DataApi.layerConfig({ ...options, rateLimit: RateLimit.none }), {
        QUARRY_RATE_LIMIT: "fast"
      })
    }))
})

describe("API keys", () => {
  it.effect("are required, also of programs without types, except by the ledger API", () =>
    Effect.gen(function*() {
      const keyless: ApiOptions = JSON.parse(`{ "baseUrl": "https://host.test" }`)
      for (const layer of [DataApi.layer, StreamsApi.layer]) {
        expect(yield* errorOf(layer(keyless))).toContain(
          `Missing data at apiKey: "expected Redacted.make("…")"`
        )
      }
      yield* run(Effect.void, LedgerApi.layer(keyless))
      const noOptions: ApiOptions = JSON.parse("null")
      for (const layer of [DataApi.layer, DataApi.layerConfig, LedgerApi.layer, LedgerApi.layerConfig]) {
        expect(yield* errorOf(layer(noOptions))).toContain("Invalid data at options: \"expected an object\"")
      }
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

  it.effect("names one of several API keys", () =>
    Effect.gen(function*() {
      const apiKey = ["one", "two"].map((label) => ({ label, key: Redacted.make(`${key}-${label}`) }))
      const error = yield* Effect.flip(price).pipe(
        Effect.provide(DataApi.layer({ ...options, apiKey })),
        Effect.provideService(HttpClient.HttpClient, replyOf(401))
      )
      expect(error).toMatchObject({
        hint: expect.stringMatching(/^Check the option apiKey\.(?:one|two)\.$/)
      })
    }))
})
