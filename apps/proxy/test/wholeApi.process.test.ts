/** All functions of `Moralis.EvmApi`. The SDK can only be started once per process. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import Moralis from "moralis"
import { operations, operationsV2 } from "moralis/common-evm-utils"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type EvmCall, evmCalls } from "./support/evmCalls.ts"
import * as EvmStub from "./support/EvmStub.ts"

const key = "key-of-the-sdk"

const scope = Effect.runSync(Scope.make())
const stub = await Effect.runPromise(Scope.extend(EvmStub.make, scope))

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

beforeAll(() => Moralis.start({ apiKey: key, evmApiBaseUrl: stub.url }))
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
  beforeAll(() => useBaseUrl(stub.url))

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
