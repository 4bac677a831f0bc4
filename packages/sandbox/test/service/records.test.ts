import { evmChains } from "@blockquarry/core/Chain"
import { parse } from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { dexesOf, poolsOf } from "../../src/service/DexPools.ts"
import {
  dataUrl,
  decodePage,
  eth,
  examples,
  ledger,
  makeSandbox,
  readAllPages,
  records,
  send,
  toArray
} from "./support.ts"

const { collection1155, collection721, token, tokenId1155, tokenId721, unpricedToken, wallet } = examples

const sum = (values: ReadonlyArray<unknown>) =>
  values.map((value) => BigDecimal.unsafeFromString(String(value))).reduce(
    BigDecimal.sum,
    BigDecimal.fromBigInt(0n)
  )

describe("transfers", () => {
  it.effect("have amounts as integers with all digits", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const response = yield* send(sandbox, dataUrl(`/erc20/${unpricedToken}/transfers`, { order: "ASC" }))
      const values = toArray(eth.tokenTransfers(unpricedToken)).slice(0, 100).map(({ value }) => value)
      expect(values.some((value) => value > 2n ** 53n)).toBe(true)
      for (const value of values) expect(response.text).toContain(`"value":${value},`)
      const [row] = decodePage(response).result
      expect(row).toMatchObject({ block_number: expect.any(Number), log_index: expect.any(Number) })
      expect(String(row?.["address"])).toBe(unpricedToken)
      expect(row?.["block_timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }))
})

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
  it.effect("depend on the block only", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const path = `/erc20/${token}/price`
      const now = yield* send(sandbox, dataUrl(path))
      expect((yield* send(sandbox, dataUrl(path))).text).toBe(now.text)
      expect(now.document).toMatchObject({
        toBlock: String(eth.head),
        possibleSpam: "false",
        verifiedContract: true
      })
      expect(now.document).not.toHaveProperty("24hrPercentChange")
      const then = yield* send(
        sandbox,
        dataUrl(path, { to_block: eth.head - 9000, include: "percent_change" })
      )
      expect(then.document).toMatchObject({ toBlock: String(eth.head - 9000) })
      expect(then.document).toHaveProperty("24hrPercentChange", expect.stringMatching(/^-?\d+\.\d+$/))
      expect(then.text).not.toContain(/"usdPrice":[\d.]+/.exec(now.text)?.[0])
      yield* sandbox.addBlocks("eth", 100)
      expect((yield* send(sandbox, dataUrl(path))).document).toMatchObject({
        toBlock: String(eth.head + 100)
      })
    }))

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
      const none = yield* send(sandbox, dataUrl(`/erc20/${token}/price`, { exchange: "bazaar" }))
      expect(none).toMatchObject({
        status: 404,
        document: { message: expect.stringContaining("No pools found") }
      })
      expect(yield* send(sandbox, dataUrl(`/erc20/${unpricedToken}/price`))).toMatchObject({ status: 404 })
      expect(yield* send(sandbox, dataUrl(`/erc20/${token}/price`, { to_block: 1 }))).toMatchObject({
        status: 404
      })
    }))

  it.effect("have a native price of 1 for the wrapped native token", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const { document } = yield* send(sandbox, dataUrl(`/erc20/${eth.wrappedNative}/price`))
      expect(document).toMatchObject({
        nativePrice: { value: "1000000000000000000", symbol: "ETH", decimals: 18 }
      })
    }))
})

describe("NFTs", () => {
  it.effect("have the requested optional fields", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const plain = yield* send(sandbox, dataUrl(`/nft/${collection721}/${tokenId721}`))
      expect(plain.document).not.toHaveProperty("normalized_metadata")
      expect(plain.document).not.toHaveProperty("media")
      const full = yield* send(
        sandbox,
        dataUrl(`/nft/${collection721}/${tokenId721}`, { normalizeMetadata: true, media_items: true })
      )
      expect(full.document).toMatchObject({
        normalized_metadata: expect.any(Object),
        media: expect.any(Object)
      })
      const owners = decodePage(yield* send(sandbox, dataUrl(`/nft/${collection721}/${tokenId721}/owners`)))
      expect(owners.status).toBe("SYNCED")
      expect(owners.result).toHaveLength(1)
      expect(owners.result[0]).not.toHaveProperty("minter_address")
      expect(owners.result[0]).not.toHaveProperty("last_sale")
      const hex = yield* send(sandbox, dataUrl(`/nft/${collection1155}/${tokenId1155}`, { format: "hex" }))
      expect(hex.document).toMatchObject({
        token_id: `0x${tokenId1155.toString(16)}`,
        contract_type: "ERC1155",
        minter_address: expect.stringContaining(" ")
      })
    }))

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
      for (const { last_sale } of rows) {
        if (last_sale !== null) {
          expect(last_sale).toMatchObject({ payment_token: { token_address: expect.any(String) } })
        }
      }
    }))

  it.effect("are null for an unknown ID of a known contract", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      expect(yield* send(sandbox, dataUrl(`/nft/${collection721}/999999999999`))).toMatchObject({
        status: 200,
        text: "null"
      })
    }))
})

describe("chains of a wallet", () => {
  it.effect("are the active chains with the first and last transaction", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const { document } = yield* send(sandbox, dataUrl(`/wallets/${wallet}/chains`))
      const active = evmChains.filter((name) => ledger.chains.get(name)?.activity(wallet) !== undefined)
      expect(document).toMatchObject({ address: wallet, active_chains: active.map((chain) => ({ chain })) })
      const two = yield* send(sandbox, `${dataUrl(`/wallets/${wallet}/chains`)}?chains[0]=0x1&chains[1]=palm`)
      expect(two.document).toMatchObject({ active_chains: [{ chain: "eth", chain_id: "0x1" }] })
      const none = yield* send(sandbox, dataUrl(`/wallets/${examples.emptyWallet}/chains`))
      expect(none.document).toMatchObject({ active_chains: [] })
    }))
})
