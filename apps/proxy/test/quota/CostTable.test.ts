/** What requests cost, by configuration, table and description. */
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { type Config, defaults } from "../../src/config/Config.ts"
import * as Weights from "../../src/config/Weights.ts"
import * as CostTable from "../../src/quota/CostTable.ts"

const weight = (path: string, price: number, rateLimitCost = 1) => ({ path, price, rateLimitCost })

const tableOf = (weights: ReadonlyArray<Weights.EndpointWeight> = [], costs: Partial<Config["costs"]> = {}) =>
  CostTable.make({ costTable: { file: { path: "", weights } }, costs: { ...defaults.costs, ...costs } })

const path = "/api/v2.2/wallets/0xa1/net-worth"

describe("the costs of an operation", () => {
  it("are per value of its parameter, also with other prices", () => {
    const request = {
      method: "GET",
      path: "",
      query: [["chains[]", "eth"], ["chains[]", "bsc"]],
      body: null
    } as const
    const priceOf = (table: CostTable.CostTable) =>
      table.ofRequest({ operation: walletChains, request }).price
    expect(priceOf(tableOf())).toBe(100)
    expect(priceOf(tableOf([weight("/wallets/{address}/chains", 7)]))).toBe(14)
    expect(priceOf(tableOf([], { walletChains: { price: 3, rateCost: 1 } }))).toBe(6)
    expect(
      priceOf(
        tableOf([], { walletChains: { price: 3, rateCost: 1, per: { parameter: "limit", maxItems: 4 } } })
      )
    )
      .toBe(12)
  })
})

describe("the costs of a path", () => {
  const weights = [
    weight("/wallets/{address}/net-worth", 250, 25),
    weight("/wallets/{address}/{view}", 10, 90)
  ]

  it("are those of the table, by the most specific pattern", () => {
    expect(tableOf(weights).ofPath(path)).toEqual({ price: 250, rateCost: 25 })
    expect(tableOf(weights).ofPath("/api/v2.2/wallets/0xa1/stats")).toEqual({ price: 10, rateCost: 90 })
  })

  it("are the highest ones of all if the table does not have it", () => {
    // That of `walletChains` for all its chains
    expect(tableOf().ofPath(path)).toEqual({ price: 1250, rateCost: 5 })
    expect(tableOf(weights).ofPath("/api/v2.2/other")).toEqual({ price: 1250, rateCost: 90 })
    expect(tableOf(weights).ofPath("/streams/evm")).toEqual({ price: 1250, rateCost: 90 })
    expect(tableOf([], { nftOwners: { price: 1999, rateCost: 6 } }).ofPath(path)).toEqual({
      price: 1999,
      rateCost: 6
    })
    const per = { parameter: "limit", maxItems: 100 }
    expect(tableOf([], { nftOwners: { price: 20, rateCost: 6, per } }).ofPath(path)).toEqual({
      price: 2000,
      rateCost: 6
    })
  })
})

it.each(["", "-1", "1.5"])("a table with %j is rejected with the reason", (price) => {
  const text = price !== "" ? `[{"path":"/a","price":"${price}","rateLimitCost":"1"}]` : ""
  expect(Weights.decode(text)).toEqual(Either.left(expect.stringMatching(/^(not|expected the) JSON/)))
})
