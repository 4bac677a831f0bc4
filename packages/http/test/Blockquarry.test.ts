/** Several APIs over one engine. */
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as DataApi from "@blockquarry/http/DataApi"
import * as LedgerApi from "@blockquarry/http/LedgerApi"
import * as LedgerTestnetApi from "@blockquarry/http/LedgerTestnetApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
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

const apiKey = Redacted.make("key")
const baseUrl = "https://all.test"

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
const priceAndUpdate = Effect.zipRight(price, Effect.either(update))

describe("sharing", () => {
  it.effect("one Blockquarry layer shares the rate limit between its APIs", () =>
    Effect.gen(function*() {
      const layer = Blockquarry.layer({ ...options, baseUrls: { data: baseUrl, streams: baseUrl } })
      const { requests, value } = yield* run(priceAndUpdate, layer, script)
      expect(value).toMatchObject({ _tag: "Left", left: { _tag: "LocalLimitError", limit: "rate" } })
      expect(requests).toHaveLength(1)
    }))

  const apart: ReadonlyArray<
    readonly [
      string,
      Layer.Layer<DataApi.DataApi | StreamsApi.StreamsApi, ConfigError, HttpClient.HttpClient>
    ]
  > = [
    [
      "layers of two APIs",
      Layer.merge(DataApi.layer({ ...options, baseUrl }), StreamsApi.layer({ ...options, baseUrl }))
    ],
    [
      "two Blockquarry layers",
      Layer.merge(
        Blockquarry.layer({ ...options, baseUrls: { data: baseUrl } }),
        Blockquarry.layer({ ...options, baseUrls: { streams: baseUrl } })
      )
    ]
  ]

  it.effect.each(apart)("%s that are built together share nothing", ([, layer]) =>
    Effect.gen(function*() {
      const { requests, value } = yield* run(priceAndUpdate, layer, script)
      expect(value).toMatchObject({ _tag: "Right" })
      expect(requests).toHaveLength(2)
    }))

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
})

const tags = {
  data: DataApi.DataApi,
  streams: StreamsApi.StreamsApi,
  ledger: LedgerApi.LedgerApi,
  ledgerTestnet: LedgerTestnetApi.LedgerTestnetApi
}
const names = ["data", "streams", "ledger", "ledgerTestnet"] as const

const variables = {
  QUARRY_API_KEY: "key",
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
