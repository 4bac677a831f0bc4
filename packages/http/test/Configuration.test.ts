/** Configuration is validated when a layer is built. */
import { operationIds } from "@blockquarry/core/Operations"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
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
import { addressOf, priceReply } from "./support/PriceCalls.ts"
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

  it.effect("reports every invalid variable", () =>
    Effect.gen(function*() {
      const message = yield* errorOf(DataApi.layerConfig(), {
        QUARRY_API_KEY: "a\nb",
        QUARRY_BASE_URL: "host",
        QUARRY_RATE_LIMIT: "fast"
      })
      for (const variable of ["QUARRY_API_KEY", "QUARRY_BASE_URL", "QUARRY_RATE_LIMIT"]) {
        expect(message).toContain(`Invalid data at ${variable}`)
      }
    }))
})

describe("invalid API keys", () => {
  it.effect.each(["abc\n", "abc\r\n", "a\u0000b", "a€b", ""])(
    "fail the layer, unseen: %j",
    (invalid) =>
      Effect.gen(function*() {
        const single = yield* errorOf(DataApi.layer({ ...options, apiKey: Redacted.make(invalid) }))
        expect(single).toContain("Invalid data at apiKey:")
        const several = yield* errorOf(DataApi.layer({
          ...options,
          apiKey: [{ label: "one", key: Redacted.make(key) }, { label: "two", key: Redacted.make(invalid) }]
        }))
        expect(several).toContain("Invalid data at apiKey.two:")
        const keyless = yield* errorOf(
          LedgerApi.layer({ apiKey: Redacted.make(invalid), baseUrl: "https://h.test" })
        )
        expect(keyless).toContain("Invalid data at apiKey:")
        for (const message of [single, several, keyless]) {
          expect(message).not.toContain(invalid.trim() || key)
        }
      })
  )

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

describe("invalid policies", () => {
  const notPositive = [0, -1, Number.NaN]
  const invalid: Readonly<Record<string, ReadonlyArray<number>>> = {
    "rateLimit.limit": notPositive,
    "rateLimit.window": notPositive,
    "rateLimit.burst": notPositive,
    "rateLimit.dailyQuota": notPositive,
    "rateLimit.cost": [-1],
    "rateLimit.cost.tokenPrice": [Number.NaN],
    "rateLimit.maxQueue": [-1],
    "concurrency.limit": notPositive,
    "concurrency.maxQueue": [-1],
    "retry.attempts": [...notPositive, 1.5],
    "retry.budget.capacity": [Number.NaN],
    "retry.budget.refill": [-1],
    "breaker.threshold": [...notPositive, 1.5],
    "breaker.minimum": notPositive,
    "breaker.window": notPositive,
    "breaker.openDuration": notPositive,
    "timeouts.attempt": notPositive,
    "timeouts.call": notPositive,
    "maxBodySize": notPositive
  }

  it.effect.each(Object.entries(invalid))(
    "fail the layer and name the option: %s",
    ([path, values]) =>
      Effect.gen(function*() {
        for (const value of values) {
          const policies = path.split(".").reduceRight<unknown>((member, name) => ({ [name]: member }), value)
          expect(yield* errorOf(DataApi.layer({ ...options, ...Object(policies) }))).toContain(
            `Invalid data at ${path}:`
          )
        }
      })
  )

  it.effect.each<[json: string, path: string, reason: string]>([
    [`{ "retry": { "attempts": "2" } }`, "retry.attempts", "expected an integer of at least 1, got a string"],
    [`{ "retry": 3 }`, "retry", "expected an object with attempts, baseDelay, maxDelay, budget, got 3"],
    [`{ "timeouts": { "attempt": "5 parsecs" } }`, "timeouts.attempt", "expected a duration"],
    [`{ "rateLimit": "secret" }`, "rateLimit", "expected an object with limit, window"],
    [
      `{ "rateLimit": { "limit": 1 } }`,
      "rateLimit.window",
      "expected a duration such as \"5 seconds\", got undefined"
    ],
    [`{ "rateLimit": { "window": 1 } }`, "rateLimit.limit", "expected more than 0, got undefined"],
    [`{ "breaker": [] }`, "breaker", "expected an object with threshold"],
    [`{ "cache": { "enabled": "secret" } }`, "cache.enabled", "expected true or false, got a string"],
    [`{ "maxBodySize": "1 MB" }`, "maxBodySize", "expected more than 0, got a string"],
    [`{ "userAgent": 1 }`, "userAgent", "expected visible ASCII characters"],
    [
      `{ "arrayFormat": "csv" }`,
      "arrayFormat",
      "expected one of brackets, indices, repeat, comma, got a string"
    ],
    [`{ "transformClient": 5 }`, "transformClient", "expected a function, got 5"],
    [`{ "uncacheable": "secret" }`, "uncacheable", `expected a list of Redacted.make("…")`],
    [`{ "uncacheable": ["secret"] }`, "uncacheable", `expected a list of Redacted.make("…")`],
    [`{ "apiKey": "secret" }`, "apiKey", `expected Redacted.make("…"), got a string"`],
    [`{ "apiKey": 12345 }`, "apiKey", `expected Redacted.make("…"), got a number"`],
    [`{ "apiKey": null }`, "apiKey", `expected Redacted.make("…"), got null"`],
    [`{ "apiKey": { "key": "secret" } }`, "apiKey", `expected Redacted.make("…"), got an object"`],
    [`{ "apiKey": ["secret"] }`, "apiKey.0", "expected an object with label, key, rateLimit, got a string"],
    [
      `{ "apiKey": [{ "label": "a", "key": "secret" }] }`,
      "apiKey.a.key",
      `expected Redacted.make("…"), got a string"`
    ],
    [`{ "apiKey": [{ "label": 1, "key": "secret" }] }`, "apiKey.0.label", "expected a string, got 1"],
    [
      `{ "apiKey": [{ "label": "a", "rateLimit": 1 }] }`,
      "apiKey.a.rateLimit",
      "expected an object with limit"
    ],
    [`{ "retry": { "budget": { "refill": -1 } } }`, "retry.budget.refill", "expected at least 0, got -1"],
    [
      `{ "retry": { "atempts": "secret" } }`,
      "retry.atempts",
      `unknown option; expected one of attempts, baseDelay, maxDelay, budget"`
    ],
    [
      `{ "rateLimit": { "cost": { "tokenPrise": "secret" } } }`,
      "rateLimit.cost.tokenPrise",
      `unknown option; expected one of ${operationIds.join(", ")}"`
    ],
    [
      `{ "apiKey": [{ "label": "a", "rateLimit": { "cost": { "constructor": 1 } } }] }`,
      "apiKey.a.rateLimit.cost.constructor",
      "unknown option; expected one of walletTransfers, "
    ],
    [`{ "rateLimit": { "cost": ["secret"] } }`, "rateLimit.cost", `expected at least 0, got a list"`],
    [`{ "cahce": "secret" }`, "cahce", "unknown option; expected one of apiKey, baseUrl, cache, "],
    [`{ "constructor": "secret" }`, "constructor", "unknown option; expected one of apiKey, "]
  ])("of a program without types fail the layer: %s", ([json, path, reason]) =>
    Effect.gen(function*() {
      const untyped: Partial<ApiOptions> = JSON.parse(json)
      for (const layer of [DataApi.layer, DataApi.layerConfig]) {
        const error = yield* errorOf(layer({ ...options, ...untyped }))
        expect(error).toContain(`Invalid data at ${path}: "${reason}`)
        expect(error).not.toMatch(/secret|12345/)
      }
    }))

  it.effect("are all reported", () =>
    Effect.gen(function*() {
      const message = yield* errorOf(DataApi.layer({
        ...options,
        rateLimit: { ...RateLimit.standard, limit: 0 },
        concurrency: { limit: 0, maxQueue: -1 }
      }))
      for (const path of ["rateLimit.limit", "concurrency.limit", "concurrency.maxQueue"]) {
        expect(message).toContain(path)
      }
    }))

  it.effect("do not include the policies of the library", () =>
    Effect.gen(function*() {
      const none = {
        rateLimit: RateLimit.none,
        retry: RetryPolicy.none,
        breaker: CircuitBreaker.none,
        cache: ResponseCache.none
      }
      const { requests } = yield* run(
        Effect.flatMap(DataApi.DataApi, (data) => data.tokenPrice({ address: addressOf(1) })),
        DataApi.layer({ ...options, ...none })
      )
      expect(requests).toHaveLength(1)
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
