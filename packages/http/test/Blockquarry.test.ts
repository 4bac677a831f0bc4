/** Several APIs over one engine, and their configuration, which is validated when a layer is built. */
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as StreamsApi from "@blockquarry/http/StreamsApi"
import type * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { address, examples, hash } from "./support/Examples.ts"
import { run } from "./support/Programs.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import { key } from "./support/TestClients.ts"

const apiKey = Redacted.make(key)
const baseUrl = "https://all.test"

/** Options of a single API. */
const single: ApiOptions = { apiKey, baseUrl: "https://host.test" }

/** A price costs 3 units, and a status update 1: within one budget of 3 units, the second is rejected. */
const options = {
  apiKey,
  rateLimit: RateLimit.make({ limit: 3, window: "1 minute", maxWait: 0 })
}

/** Responds to every operation. */
const script: ScriptedClient.Script = ({ method, url }) =>
  ScriptedClient.json(
    examples.find(({ id }) =>
      id === (method === "POST" ? "updateStreamStatus" : url.pathname.endsWith("/price") ? "tokenPrice" : "")
    )?.document ?? { hash }
  )

const price = Effect.flatMap(DataApi.DataApi, (data) => data.tokenPrice({ address }))
const update = Effect.flatMap(
  StreamsApi.StreamsApi,
  (streams) => streams.updateStreamStatus({ id: "s", status: "paused" })
)

const transaction = ({ ledgerTransaction }: LedgerApi.LedgerApiService) =>
  ledgerTransaction({ txn_hash: hash })

describe("the rate limit", () => {
  const both = { data: baseUrl, streams: baseUrl }
  const layers: ReadonlyArray<
    readonly [
      string,
      Layer.Layer<DataApi.DataApi | StreamsApi.StreamsApi, ConfigError, HttpClient.HttpClient>,
      requests: number
    ]
  > = [
    ["one Blockquarry layer", Blockquarry.layer({ ...options, baseUrls: both }), 1],
    [
      "layers of two APIs",
      Layer.merge(DataApi.layer({ ...options, baseUrl }), StreamsApi.layer({ ...options, baseUrl })),
      2
    ],
    [
      "two Blockquarry layers",
      Layer.merge(
        Blockquarry.layer({ ...options, baseUrls: { data: baseUrl } }),
        Blockquarry.layer({ ...options, baseUrls: { streams: baseUrl } })
      ),
      2
    ]
  ]

  it.effect.each(layers)(
    "of %s that are built together allows %3$d requests",
    ([, layer, allowed]) =>
      Effect.gen(function*() {
        const { requests, value } = yield* run(Effect.zipRight(price, Effect.either(update)), layer, script)
        expect(value).toMatchObject(
          allowed === 2 ? { _tag: "Right" } : { left: { _tag: "LocalLimitError", limit: "rate" } }
        )
        expect(requests).toHaveLength(allowed)
      })
  )
})

it.effect("stores are those of the option, also for the cache", () =>
  Effect.gen(function*() {
    const entries = new Map<string, CacheStore.CacheEntry>()
    const { peek: _, ...memory } = yield* CacheStore.memory()
    const stores = Layer.merge(
      Layer.succeed(CacheStore.CacheStore, {
        ...memory,
        set: (key, entry) => Effect.sync(() => void entries.set(key, entry))
      }),
      RateLimitStore.layerMemory
    )
    const layer = Blockquarry.layer({
      ...options,
      baseUrls: { data: baseUrl },
      cache: ResponseCache.standard,
      stores
    })
    yield* run(Effect.zipLeft(price, Effect.yieldNow()), layer, script)
    expect([...entries.keys()]).toEqual([`${baseUrl}/api/v2.2/erc20/${address}/price`])
  }))

const tags = {
  data: DataApi.DataApi,
  streams: StreamsApi.StreamsApi,
  ledger: LedgerApi.LedgerApi,
  ledgerTestnet: LedgerTestnetApi.LedgerTestnetApi
}
const names = ["data", "streams", "ledger", "ledgerTestnet"] as const

const variables = {
  QUARRY_API_KEY: key,
  QUARRY_BASE_URL: "https://data.test",
  QUARRY_STREAMS_URL: "https://streams.test",
  QUARRY_LEDGER_URL: "https://ledger.test",
  QUARRY_LEDGER_TESTNET_URL: "https://testnet.test"
}

/** The names of the APIs that a layer provides. */
const providedBy = (
  layer: Layer.Layer<never, ConfigError, HttpClient.HttpClient>,
  environment?: Readonly<Record<string, string>>
) =>
  Effect.map(
    run(Effect.context<never>(), layer, script, environment),
    ({ value }) => names.filter((name) => value.unsafeMap.has(tags[name].key))
  )

describe("the chosen APIs", () => {
  it.effect("are those of the base URLs or of apis, for every selection", () =>
    Effect.gen(function*() {
      for (let bits = 1; bits < 2 ** names.length; bits += 1) {
        const [first, ...others] = names.filter((_, index) => (bits >> index) % 2 === 1)
        if (first === undefined) continue
        const apis = [first, ...others] as const
        expect(yield* providedBy(Blockquarry.layerConfig({ apis }), variables)).toEqual(apis)
        const baseUrls: Blockquarry.BaseUrls = Object.fromEntries(apis.map((name) => [name, baseUrl]))
        // @ts-expect-error -- the names of base URLs are known when a program is compiled
        expect(yield* providedBy(Blockquarry.layer({ apiKey, baseUrls }))).toEqual(apis)
      }
    }))

  it.effect("fail with the names of the options that a JavaScript program may pass", () =>
    Effect.gen(function*() {
      const layers = [
        // @ts-expect-error -- an option of a single API
        () => Blockquarry.layer({ baseUrl }),
        // @ts-expect-error -- no options
        () => Blockquarry.layer(undefined),
        // @ts-expect-error -- an unknown option
        () => Blockquarry.layer({ apiKey, baseUrls: { data: baseUrl }, retries: 1 })
      ]
      const messages = yield* Effect.forEach(
        layers,
        (layer) => Effect.map(Effect.flip(providedBy(layer())), String)
      )
      expect(messages).toEqual([
        expect.stringMatching(/baseUrls.*data, streams, ledger, ledgerTestnet/),
        expect.stringMatching(/baseUrls/),
        expect.stringMatching(/retries: "unknown option/)
      ])
    }))

  it("are the services of the layer's type", () => {
    const chosen = Blockquarry.layerConfig({ apis: ["data", "ledgerTestnet"] })
    expectTypeOf<Layer.Layer.Success<typeof chosen>>().toEqualTypeOf<
      DataApi.DataApi | LedgerTestnetApi.LedgerTestnetApi | Blockquarry.Engine
    >()
    const located = Blockquarry.layer({ apiKey, baseUrls: { streams: baseUrl } })
    expectTypeOf<Layer.Layer.Success<typeof located>>().toEqualTypeOf<
      StreamsApi.StreamsApi | Blockquarry.Engine
    >()
    const names: readonly ["data", ...ReadonlyArray<"data" | "ledger">] = ["data"]
    const unknown = Blockquarry.layerConfig({ apis: names })
    expectTypeOf<Layer.Layer.Success<typeof unknown>>().toEqualTypeOf<Blockquarry.Engine>()
    // @ts-expect-error -- an unknown API
    Blockquarry.layer({ apiKey, baseUrls: { data: baseUrl, date: baseUrl } })
    // @ts-expect-error -- the base URL may be missing
    Blockquarry.layer({ apiKey, baseUrls: { data: undefined } })
    // @ts-expect-error -- the API key is missing
    Blockquarry.layer({ baseUrls: { data: baseUrl } })
    // @ts-expect-error -- the list of APIs is empty
    Blockquarry.layerConfig({ apis: [] })
  })
})

describe("layerConfig", () => {
  it.effect("reads the base URL of each API and the API key", () =>
    Effect.gen(function*() {
      const { requests } = yield* run(
        Effect.gen(function*() {
          yield* Effect.ignore(price)
          yield* Effect.ignore(update)
          yield* Effect.ignore(Effect.flatMap(LedgerApi.LedgerApi, transaction))
          yield* Effect.ignore(Effect.flatMap(LedgerTestnetApi.LedgerTestnetApi, transaction))
        }),
        Layer.mergeAll(
          DataApi.layerConfig(),
          StreamsApi.layerConfig(),
          LedgerApi.layerConfig(),
          LedgerTestnetApi.layerConfig()
        ),
        script,
        variables
      )
      expect(requests.map(({ headers, url }) => [url.host, headers["x-api-key"]])).toEqual([
        ["data.test", key],
        ["streams.test", key],
        ["ledger.test", key],
        ["testnet.test", key]
      ])
    }))

  it.effect("prefers options to the environment, and needs no variable for them", () =>
    Effect.gen(function*() {
      const { requests } = yield* run(price, DataApi.layerConfig(single), script, {
        QUARRY_BASE_URL: "https://main.test"
      })
      expect(requests.map(({ url }) => url.host)).toEqual(["host.test"])
      const limited = DataApi.layerConfig({ ...single, rateLimit: RateLimit.none })
      yield* run(price, limited, script, { QUARRY_RATE_LIMIT: "fast" })
    }))
})

it.effect("the ledger gets no x-api-key header if no API key is set, and its errors are those with one", () =>
  Effect.gen(function*() {
    const call = Effect.flip(Effect.flatMap(LedgerApi.LedgerApi, transaction))
    const { requests, value } = yield* run(
      Effect.all([call, call]),
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

describe("the hint of an error", () => {
  const hints: ReadonlyArray<
    readonly [
      name: string,
      layer: Layer.Layer<DataApi.DataApi, ConfigError, HttpClient.HttpClient>,
      ReadonlyArray<string>
    ]
  > = [
    [
      "a variable and an option",
      DataApi.layerConfig({ baseUrl: "https://host.test" }),
      ["QUARRY_API_KEY", "the option baseUrl"]
    ],
    [
      "options of several APIs",
      Blockquarry.layer({ apiKey: apiKey, baseUrls: { data: "https://host.test" } }),
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
        const hintOf = (reply: ScriptedClient.ScriptedReply) => {
          const call = CallOptions.withCallOptions({ retry: RetryPolicy.none })(Effect.flip(price))
          return Effect.map(run(call, layer, [reply], variables), ({ value }) => Reflect.get(value, "hint"))
        }
        expect(yield* hintOf(ScriptedClient.respond(401))).toBe(`Check ${apiKey}.`)
        expect(yield* hintOf(ScriptedClient.Disconnect({ code: "ECONNREFUSED" }))).toBe(
          `Check ${baseUrl} and your network.`
        )
      })
  )
})
