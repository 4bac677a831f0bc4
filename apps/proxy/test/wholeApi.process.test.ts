/** All functions of `Moralis.EvmApi`. The SDK can only be started once per process. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import Moralis from "moralis"
import { operations, operationsV2 } from "moralis/common-evm-utils"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import type { Config } from "../src/config/Config.ts"
import * as Weights from "../src/config/Weights.ts"
import { type EvmCall, evmCalls } from "./support/evmCalls.ts"
import * as EvmStub from "./support/EvmStub.ts"
import { openAdmin, sendRequest, start, testClient, testEndpoints } from "./support/proxy.ts"

const key = "key-of-the-sdk"

const scope = Effect.runSync(Scope.make())
const stub = await Effect.runPromise(Scope.extend(EvmStub.make, scope))
const direct = stub.url + EvmStub.prefix

/** What the SDK sends besides reads of the data API that no rule mentions. Requests that start work have none. */
const writes = evmCalls.filter(({ method }) => method !== "GET")
const startsWork = ({ path }: EvmCall) => /\/(re)?sync$/.test(path)

const rules = writes.map(({ method, name, path }) => ({
  name,
  method: method === "PUT" ? "PUT" as const : "POST" as const,
  path: EvmStub.prefix + path.replaceAll(/\{(\w+)\}/g, ":$1"),
  api: "data" as const,
  cost: null,
  cacheTtl: null,
  retry: false,
  clients: ["sdk"]
}))

const proxyOf = (weights: Config["weights"]) =>
  start({
    endpoints: { ...testEndpoints, baseUrls: { ...testEndpoints.baseUrls, data: stub.url } },
    httpClient,
    config: {
      admin: openAdmin,
      clients: [testClient("sdk", key), testClient("refused", "refused", { scopes: ["tokenPrice"] })],
      passthrough: { default: "reads", rules },
      weights
    }
  })

const httpClient = await Effect.runPromise(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))

const Usage = Schema.Struct({
  totals: Schema.Struct({ upstreamCost: Schema.Number, chargedCost: Schema.Number }),
  operations: Schema.Array(
    Schema.Struct({ name: Schema.String, priceDrift: Schema.Number, unsettledPrice: Schema.Number })
  )
})

/** Sends the next calls of the SDK to this base URL, although it remembers the first one. */
const useBaseUrl = (url: string) => {
  Moralis.Core.config.set("evmApiBaseUrl", url)
  Object.assign(Moralis.EvmApi, { _baseUrl: undefined })
}

/** The JSON and the deserialized records of all pages. */
const resultOf = async ({ call, name }: EvmCall): Promise<ReadonlyArray<unknown>> => {
  const pages: Array<unknown> = []
  for (let response = await call(); pages.length < 3;) {
    if (response === null) throw new Error(`${name} returned null`)
    pages.push(JSON.parse(JSON.stringify({ json: response.toJSON(), result: response.result })))
    if (response.next === undefined || response.hasNext?.() !== true) break
    response = await response.next()
  }
  return pages
}

beforeAll(() => Moralis.start({ apiKey: key, evmApiBaseUrl: direct }))
beforeEach(() => void stub.bill.splice(0))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

it("covers the SDK", () => {
  const described = [
    ...operations.map(({ operationId }) => operationId),
    ...operationsV2.map(({ name }) => name)
  ]
  expect(evmCalls.map(({ name }) => name).sort()).toEqual(described.sort())
  expect(evmCalls.length).toBeGreaterThanOrEqual(60)
})

describe("without a proxy", () => {
  beforeAll(() => useBaseUrl(direct))

  it.each(evmCalls)("$name deserializes the response of the stub, which bills every page", async (call) => {
    const pages = await resultOf(call)
    const items = call.per === undefined ? 1 : 2
    const { name: endpoint, price } = call
    expect(stub.bill).toEqual(pages.map(() => ({ key, endpoint, price: price * items })))
  })

  it("gets the table of prices", async () => {
    const { result } = await Moralis.EvmApi.utils.endpointWeights()
    const prices = result.map(({ endpoint, price }) => [endpoint, Number(price)])
    expect(prices).toEqual(evmCalls.map(({ name, price }) => [name, price]))
  })

  it("rejects what the stub does not know", async () => {
    useBaseUrl(`${stub.url}/other`)
    await expect(Moralis.EvmApi.utils.web3ApiVersion()).rejects.toThrow(/404/)
    expect(stub.bill).toEqual([])
  })
})

const tables: ReadonlyArray<readonly [table: string, weights: Config["weights"]]> = [
  ["the built-in table", []],
  ["the table of the upstream", Either.getOrThrow(Weights.decode(JSON.stringify(EvmStub.weights)))]
]

describe.each(tables)("through a proxy with %s", (_, weights) => {
  const proxyScope = Effect.runSync(Scope.make())
  let proxy: Effect.Effect.Success<ReturnType<typeof proxyOf>>

  beforeAll(async () => {
    proxy = await Effect.runPromise(Scope.extend(proxyOf(weights), proxyScope))
  })
  afterAll(() => Effect.runPromise(Scope.close(proxyScope, Exit.void)))

  const usage = async () => {
    const { text } = await Effect.runPromise(sendRequest(proxy.adminPort ?? 0, "/usage"))
    return Schema.decodeUnknownSync(Schema.parseJson(Usage))(text)
  }

  it.each(evmCalls.filter((call) => !startsWork(call) || call.method !== "GET"))(
    "$name gives the same result, and is charged what it is billed",
    async (call) => {
      useBaseUrl(direct)
      const expected = await resultOf(call)
      stub.bill.splice(0)
      const before = await usage()
      useBaseUrl(proxy.origin + EvmStub.prefix)
      expect(await resultOf(call)).toEqual(expected)
      const { totals } = await usage()
      const billed = stub.bill.reduce((sum, { price }) => sum + price, 0)
      expect(billed).toBeGreaterThan(0)
      expect([
        totals.upstreamCost - before.totals.upstreamCost,
        totals.chargedCost - before.totals.chargedCost
      ]).toEqual([billed, billed])
    }
  )

  it("lists the drift of each operation, and nothing unsettled", async () => {
    const { operations } = await usage()
    expect(operations.filter(({ unsettledPrice }) => unsettledPrice !== 0)).toEqual([])
    // Prices per item are those of one item in the table
    const drifts = operations.filter(({ priceDrift }) => priceDrift !== 0).map(({ name }) => name)
    expect(drifts).toContain("other")
  })

  it.each(evmCalls.filter((call) => startsWork(call) && call.method === "GET"))(
    "$name is refused, because it starts work",
    async ({ call }) => {
      useBaseUrl(proxy.origin + EvmStub.prefix)
      await expect(call()).rejects.toThrow(/403/)
      expect(stub.bill).toEqual([])
    }
  )

  it("raises whatever it refuses, and never returns null", async () => {
    useBaseUrl(proxy.origin + EvmStub.prefix)
    Moralis.Core.config.set("apiKey", "refused")
    onTestFinished(() => Moralis.Core.config.set("apiKey", key))
    for (const { call, name } of evmCalls) {
      if (name === "getTokenPrice") continue
      await expect(call(), name).rejects.toThrow(/403/)
    }
    expect(stub.bill).toEqual([])
  })
})
