import { parse } from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { dexesOf, poolsOf } from "../../src/service/DexPools.ts"
import { dataUrl, eth, examples, ledger, makeSandbox, readAllPages, records, send } from "./support.ts"

const { collection721, token, unpricedToken } = examples

const sum = (values: ReadonlyArray<unknown>) =>
  values.map((value) => BigDecimal.unsafeFromString(String(value))).reduce(
    BigDecimal.sum,
    BigDecimal.fromBigInt(0n)
  )

describe("holders", () => {
  for (const [name, address] of Object.entries({ token, unpricedToken })) {
    it.effect(`percentages and balances of ${name} sum to the supply`, () =>
      Effect.gen(function*() {
        const sandbox = yield* makeSandbox()
        const rows = records(yield* readAllPages(sandbox, `/erc20/${address}/owners`, { limit: 100 }))
        const percentages = sum(rows.map((row) => row["percentage_relative_to_total_supply"]))
        expect(BigDecimal.format(percentages)).toBe("100")
        const balances = rows.map((row) => BigInt(String(row["balance"])))
        expect(balances.reduce((a, b) => a + b, 0n)).toBe(eth.totalSupply(address))
        expect(balances).toEqual([...balances].sort((a, b) => a > b ? -1 : a < b ? 1 : 0))
      }))
  }

  it.effect("have a wrong but stable order on chains other than eth, each once", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const polygon = ledger.chains.get("polygon")!
      const [address] = [...polygon.tokens.keys()].sort((a, b) =>
        polygon.holders(b).length - polygon.holders(a).length
      )
      const path = `/erc20/${address}/owners`
      const rows = records(yield* readAllPages(sandbox, path, { chain: "polygon", limit: 7 }))
      const withOtherSize = records(yield* readAllPages(sandbox, path, { chain: "polygon", limit: 100 }))
      const balances = rows.map((row) => BigInt(String(row["balance"])))
      expect(rows).toEqual(withOtherSize)
      expect(rows.map((row) => row["owner_address"]).toSorted())
        .toEqual(polygon.holders(address!).map(({ owner }) => owner).toSorted())
      expect(balances).not.toEqual([...balances].sort((a, b) => a > b ? -1 : a < b ? 1 : 0))
    }))
})

describe("prices", () => {
  it.effect("select an exchange by name or by factory address", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      for (const token of eth.tokens.values()) {
        const pools = poolsOf(eth, token)
        for (const { factory, name } of dexesOf("eth")) {
          const pool = pools.find(({ exchange }) => exchange.name === name)
          for (const exchange of [name, name.toUpperCase(), factory]) {
            const response = yield* send(sandbox, dataUrl(`/erc20/${token.address}/price`, { exchange }))
            if (pool === undefined || token.usdPrice === null) expect(response.status).toBe(404)
            else expect(response.document).toMatchObject({ exchangeAddress: factory, pairAddress: pool.pair })
          }
        }
      }
    }))
})

describe("NFTs", () => {
  it.effect("have metadata in every format, and unique ranks", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const rows = records(yield* readAllPages(sandbox, `/nft/${collection721}`, {}))
      const formats = new Set(rows.map(({ metadata }) => {
        if (metadata === null) return "none"
        const parsed = Either.getOrNull(parse(String(metadata)))
        return parsed === null ? "plain text" : typeof parsed
      }))
      expect(formats).toEqual(new Set(["none", "plain text", "string", "object"]))
      const ranks = rows.map((row) => Number(row["rarity_rank"])).toSorted((a, b) => a - b)
      expect(ranks).toEqual(rows.map((_, index) => index + 1))
      expect(rows.some((row) => row["last_sale"] !== null)).toBe(true)
    }))
})
