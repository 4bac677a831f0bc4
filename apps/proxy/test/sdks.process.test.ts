/**
 * Public SDKs through the proxy: all functions of `Moralis.EvmApi`, which can only be started once per process, and that of
 * Aptos. Only their base URL changes and, if the proxy has clients, their API key, which becomes a client token.
 */
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import Moralis from "moralis"
import { operations, operationsV2 } from "moralis/common-evm-utils"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { sample } from "../../../packages/core/test/support/sample.ts"
import * as Weights from "../src/config/Weights.ts"
import * as EvmApi from "./support/EvmApi.ts"
import {
  examples,
  ledger,
  openAdmin,
  sendRequest,
  start,
  testClient,
  testConfig,
  testEndpoints,
  testRule
} from "./support/proxy.ts"

const key = "key-of-the-sdk"

const scope = Effect.runSync(Scope.make())
const stub = await Effect.runPromise(Scope.extend(EvmApi.make, scope))
const direct = stub.url + EvmApi.prefix

/** What the SDK sends besides reads of the data API that no rule mentions. Requests that start work have none. */
const writes = EvmApi.evmCalls.filter(({ method }) => method !== "GET")
const startsWork = ({ path }: EvmApi.EvmCall) => /\/(re)?sync$/.test(path)

const rules = writes.map(({ method, name, path }) =>
  testRule(name, EvmApi.prefix + path.replaceAll(/\{(\w+)\}/g, ":$1"), {
    method: method === "PUT" ? "PUT" : "POST",
    clients: ["sdk"]
  })
)

const proxyOf = (weights: ReadonlyArray<Weights.EndpointWeight>) =>
  start({
    endpoints: { ...testEndpoints, baseUrls: { ...testEndpoints.baseUrls, data: stub.url } },
    httpClient,
    config: {
      admin: openAdmin,
      clients: [testClient("sdk", key), testClient("refused", "refused", { scopes: ["tokenPrice"] })],
      passthrough: { default: "reads", rules },
      costTable: { file: { path: "", weights } }
    }
  })

const httpClient = await Effect.runPromise(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))

/** Sends the next calls of the SDK to this base URL, although it remembers the first one. */
const useBaseUrl = (url: string) => {
  Moralis.Core.config.set("evmApiBaseUrl", url)
  Object.assign(Moralis.EvmApi, { _baseUrl: undefined })
}

/** The JSON and the deserialized records of all pages. */
const resultOf = async ({ call, name }: EvmApi.EvmCall): Promise<ReadonlyArray<unknown>> => {
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
  expect(EvmApi.evmCalls.map(({ name }) => name).sort()).toEqual(described.sort())
  expect(EvmApi.evmCalls.length).toBeGreaterThanOrEqual(60)
})

const tables: ReadonlyArray<
  readonly [table: string, distance: number, weights: ReadonlyArray<Weights.EndpointWeight>]
> = [
  ["the built-in table", 1, []],
  ["the table of the upstream", 4, Either.getOrThrow(Weights.decode(JSON.stringify(EvmApi.weights)))]
]

describe.each(tables)("through a proxy with %s", (_, distance, weights) => {
  const proxyScope = Effect.runSync(Scope.make())
  let proxy: Effect.Effect.Success<ReturnType<typeof proxyOf>>

  beforeAll(async () => {
    proxy = await Effect.runPromise(Scope.extend(proxyOf(weights), proxyScope))
  })
  afterAll(() => Effect.runPromise(Scope.close(proxyScope, Exit.void)))

  const totalsOfProxy = async () => {
    const { text } = await Effect.runPromise(sendRequest(proxy.adminPort ?? 0, "/status.json"))
    return JSON.parse(text).totals
  }

  const calls = EvmApi.evmCalls.filter((call) => !startsWork(call) || call.method !== "GET")

  it.each(sample(calls, distance, calls.findIndex(({ per }) => per !== undefined)))(
    "$name gives the same result, and is charged what it is billed",
    async (call) => {
      useBaseUrl(direct)
      const expected = await resultOf(call)
      stub.bill.splice(0)
      const before = await totalsOfProxy()
      useBaseUrl(proxy.origin + EvmApi.prefix)
      expect(await resultOf(call)).toEqual(expected)
      const totals = await totalsOfProxy()
      const billed = stub.bill.reduce((sum, { price }) => sum + price, 0)
      expect(billed).toBeGreaterThan(0)
      expect([
        totals.upstreamCost - before.upstreamCost,
        totals.chargedCost - before.chargedCost
      ]).toEqual([billed, billed])
    }
  )

  it.each(EvmApi.evmCalls.filter((call) => startsWork(call) && call.method === "GET"))(
    "$name is refused, because it starts work",
    async ({ call }) => {
      useBaseUrl(proxy.origin + EvmApi.prefix)
      await expect(call()).rejects.toThrow(/403/)
      expect(stub.bill).toEqual([])
    }
  )

  it("rejects each call that the proxy refuses, and never returns null", async () => {
    useBaseUrl(proxy.origin + EvmApi.prefix)
    Moralis.Core.config.set("apiKey", "refused")
    onTestFinished(() => Moralis.Core.config.set("apiKey", key))
    for (const { call, name } of EvmApi.evmCalls) {
      if (name === "getTokenPrice") continue
      await expect(call(), name).rejects.toThrow(/403/)
    }
    expect(stub.bill).toEqual([])
  })
})

describe("in front of the sandbox", () => {
  const sandboxScope = Effect.runSync(Scope.make())
  let proxy: Effect.Effect.Success<ReturnType<typeof start>>

  beforeAll(async () => {
    proxy = await Effect.runPromise(Scope.extend(start(), sandboxScope))
  })
  beforeEach(() => {
    useBaseUrl(`${proxy.origin}/api/v2.2`)
    return Effect.runPromise(proxy.sandbox.clearRecordedRequests)
  })
  afterAll(() => Effect.runPromise(Scope.close(sandboxScope, Exit.void)))

  const requests = () => Effect.runPromise(proxy.sandbox.recordedRequests)

  /** Creates a client that sends the key as a bearer token. */
  const aptos = (apiKey: string) =>
    new Aptos(
      new AptosConfig({
        network: Network.CUSTOM,
        fullnode: `${proxy.origin}/v1`,
        clientConfig: { API_KEY: apiKey }
      })
    )

  const { collection721, transaction, unpricedToken, wallet } = examples

  it.each([["anonymous access", []], ["clients", [testClient("sdk", key)]]])(
    "with %s both get the data of the ledger, and the upstream's errors",
    async (_, clients) => {
      await Effect.runPromise(proxy.reload(testConfig({ config: { clients } })))
      const eth = ledger.chains.get("eth")
      const { result } = await Moralis.EvmApi.token.getWalletTokenTransfers({ address: wallet, limit: 1 })
      const transfers = eth?.walletTransfers(wallet)
      const last = transfers?.at(transfers.length - 1)
      expect(result.map(({ transactionHash, value }) => [transactionHash, value.toString()]))
        .toEqual([[last?.transaction, String(last?.value)]])
      const nfts = await Moralis.EvmApi.nft.getContractNFTs({ address: collection721, limit: 2 })
      expect(nfts.result.map(({ tokenId }) => BigInt(tokenId)))
        .toEqual(eth?.nfts(collection721).slice(0, 2).map(({ tokenId }) => tokenId))
      await expect(Moralis.EvmApi.token.getTokenPrice({ address: unpricedToken })).rejects.toThrow(/404|400/)
      // The second is a hash without 0x, which the SDK sends as it is
      for (const transactionHash of [transaction, transaction.slice(2)]) {
        expect(await aptos(key).getTransactionByHash({ transactionHash }))
          .toEqual(JSON.parse(JSON.stringify(ledger.transactions.mainnet.get(transaction))))
      }
      expect(JSON.stringify(await requests())).not.toContain(key)
    }
  )
})
