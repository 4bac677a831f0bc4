/** APIs of a program: on another API, on their own, and from the environment. */
import * as Api from "@blockquarry/http/Api"
import type { ApiOptions } from "@blockquarry/http/ApiOptions"
import { DataApi } from "@blockquarry/http/DataApi"
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { address } from "./support/Examples.ts"
import { failureOf } from "./support/Failures.ts"
import { TokensApi, walletTokens } from "./support/OwnOperations.ts"
import { priceReply } from "./support/PriceCalls.ts"
import { errorOf, run } from "./support/Programs.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import { immediateRetries } from "./support/TestClients.ts"

class PriceApi extends Api.Tag<PriceApi>()("my-app/PriceApi", {
  operations: { price: { ...DataApi.operations.tokenPrice, id: "price" } }
}) {}

class OwnApi extends Api.Tag<OwnApi>()("my-app/OwnApi", {
  operations: { walletTokens },
  apiKey: "optional",
  baseUrlVariable: "OWN_URL"
}) {}

const options: ApiOptions = { apiKey: Redacted.make("key"), baseUrl: "https://host.test" }

const price = Effect.flatMap(DataApi, (data) => data.tokenPrice({ address }))
const tokens = Effect.flatMap(TokensApi, (api) => api.walletTokens({ address }))
const prices = Effect.flatMap(TokensApi, (api) => api.prices({ tokens: [{ token_address: address }] }))

const page = ScriptedClient.json({ cursor: null, result: [{ symbol: "QUSD", balance: "5" }] })

/** Responds to every operation of both APIs. */
const script: ScriptedClient.Script = ({ method, url }) =>
  method === "POST" ? ScriptedClient.json([]) : url.pathname.endsWith("/price") ? priceReply : page

const unavailable: ScriptedClient.Script = () => ScriptedClient.respond(503)

const onDataApi = (options: ApiOptions) =>
  Layer.provideMerge(Api.layerOn(TokensApi, DataApi), Api.layer(DataApi, options))

const overOneEngine = (options: ApiOptions) =>
  Layer.merge(Api.layerWithEngine(DataApi, options), Api.layerWithEngine(TokensApi, options)).pipe(
    Layer.provide(Engine.layer)
  )

it.effect("reads a list by its cursors, and by POST with the retries of a read", () =>
  Effect.gen(function*() {
    const use = Effect.gen(function*() {
      const api = yield* TokensApi
      const items = yield* Stream.runCollect(api.walletTokens.items({ address, chain: "eth" }))
      expect(Chunk.toReadonlyArray(items).map(({ symbol }) => symbol)).toEqual(["A", "B"])
      const [price] = yield* api.prices({ chain: "eth", tokens: [{ token_address: address, to_block: 5 }] })
      expect(price?.usdPrice).toBe(1.5)
    })
    const page = (cursor: string, symbol: string) =>
      ScriptedClient.json({ cursor, result: [{ symbol, balance: "1" }] })
    const { requests } = yield* run(use, onDataApi({ ...options, retry: immediateRetries(2) }), [
      page("next", "A"),
      page("", "B"),
      ScriptedClient.respond(503),
      ScriptedClient.json([{ usdPrice: 1.5 }])
    ])
    const post = [
      "POST",
      "/api/v2.2/erc20/prices?chain=0x1",
      `{"tokens":[{"token_address":"${address}","to_block":5}]}`
    ]
    expect(requests.map(({ body, method, url }) => [method, `${url.pathname}${url.search}`, body])).toEqual([
      ["GET", `/api/v2.2/wallets/${address}/tokens?chain=0x1`, null],
      ["GET", `/api/v2.2/wallets/${address}/tokens?chain=0x1&cursor=next`, null],
      post,
      post
    ])
  }))

describe.each([["layerOn", onDataApi], ["one engine", overOneEngine]] as const)(
  "an API with %s",
  (_, layerOf) => {
    it.effect("shares the rate limit", () =>
      Effect.gen(function*() {
        const layer = layerOf({
          ...options,
          rateLimit: RateLimit.make({ limit: 3, window: "1 minute", maxWait: 0 })
        })
        const { requests, value } = yield* run(Effect.zipRight(price, Effect.flip(prices)), layer, script)
        expect(value).toMatchObject({ _tag: "LocalLimitError", limit: "rate" })
        expect(requests).toHaveLength(1)
      }))

    it.effect("shares the cache, also between operations with the same request", () =>
      Effect.gen(function*() {
        const samePrice = Effect.flatMap(PriceApi, (api) => api.price({ address }))
        const layer = Layer.provideMerge(Api.layerOn(PriceApi, TokensApi), layerOf({ ...options, cache: {} }))
        const calls = Effect.all([tokens, tokens, price, samePrice], { discard: true })
        const { requests } = yield* run(calls, layer, script)
        expect(requests.map(({ url }) => url.pathname)).toEqual([
          `/api/v2.2/wallets/${address}/tokens`,
          `/api/v2.2/erc20/${address}/price`
        ])
      }))
  }
)

describe("layerOn", () => {
  it.effect("has the policies of the other API, and validates options of calls", () =>
    Effect.gen(function*() {
      const layer = onDataApi({ ...options, retry: immediateRetries(2) })
      const { requests } = yield* run(Effect.flip(tokens), layer, unavailable)
      expect(requests).toHaveLength(2)
      const invalid = Effect.flatMap(
        TokensApi,
        (api) => api.walletTokens({ address }, { retry: { attempts: 0 } })
      )
      expect((yield* run(failureOf(invalid), layer, [])).value).toMatchObject({ _tag: "InvalidInputError" })
    }))
})

describe("layerConfig", () => {
  const variables = { MY_KEY: "mine", MY_URL: "https://mine.test", MY_ATTEMPTS: "1" }

  it.effect("reads options from what a Config says, also members of policies", () =>
    Effect.gen(function*() {
      const layer = Api.layerConfig(TokensApi, {
        apiKey: Config.redacted("MY_KEY"),
        baseUrl: Config.string("MY_URL"),
        retry: { attempts: Config.integer("MY_ATTEMPTS"), maxDelay: Config.succeed("1 second") },
        cache: {}
      })
      const { requests } = yield* run(Effect.flip(tokens), layer, unavailable, variables)
      expect(requests.map(({ headers, url }) => [url.host, headers["x-api-key"]])).toEqual([[
        "mine.test",
        "mine"
      ]])
      expect(yield* errorOf(layer)).toMatch(/MY_KEY.*MY_URL.*MY_ATTEMPTS/s)
      expect(yield* errorOf(layer, { ...variables, MY_ATTEMPTS: "0" })).toContain(
        "Invalid data at retry.attempts"
      )
    }))

  it.effect("reads the variables of the API of the operations by default, or that of the description", () =>
    Effect.gen(function*() {
      expect(yield* errorOf(Api.layerConfig(TokensApi))).toMatch(/QUARRY_BASE_URL.*QUARRY_API_KEY/s)
      const own = yield* errorOf(Api.layerConfig(OwnApi))
      expect(own).toContain("OWN_URL")
      expect(own).not.toContain("QUARRY_API_KEY")
      const { requests } = yield* run(
        Effect.flatMap(OwnApi, (api) => api.walletTokens({ address })),
        Api.layerConfig(OwnApi),
        script,
        { OWN_URL: "https://own.test" }
      )
      expect(requests.map(({ headers, url }) => [url.host, headers["x-api-key"]])).toEqual([[
        "own.test",
        undefined
      ]])
    }))
})
