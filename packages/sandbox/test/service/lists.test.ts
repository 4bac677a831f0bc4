/** Pages of lists, and their records. */
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import type { TokenTransfer } from "../../src/Ledger.ts"
import { toArray } from "../consistency.ts"
import {
  dataUrl,
  decodePage,
  eth,
  examples,
  makeSandbox,
  type QueryParameters,
  readAllPages,
  records,
  send
} from "./support.ts"

const { busyToken, busyWallet, collection1155, collection721, token, unpricedToken, wallet } = examples

/** The NFT with the most owners. */
const shared = eth.nfts(collection1155).toSorted((a, b) => b.owners.length - a.owners.length)[0]!

type Row = Readonly<Record<string, unknown>>

const transferKey = (row: Row) => `${row["transaction_hash"]}:${row["log_index"]}`
const blocks = (rows: ReadonlyArray<Row>) => rows.map((row) => Number(row["block_number"]))

const ascending = <A>(values: ReadonlyArray<A>) =>
  values.every((value, i) => i === 0 || values[i - 1]! <= value)

interface Case {
  readonly path: string
  readonly parameters?: QueryParameters
  readonly key: (row: Row) => string
  readonly expected: ReadonlyArray<string>
}

const transferKeys = (transfers: ReadonlyArray<TokenTransfer>) =>
  transfers.map(({ logIndex, transaction }) => `${transaction}:${logIndex}`)
const newest = toArray(eth.walletTransfers(wallet)).toReversed()
const field = (name: string) => (row: Row) => String(row[name])
const ofWallet = { path: `/${wallet}/erc20/transfers`, key: transferKey }
const owners = { path: `/erc20/${token}/owners`, key: field("owner_address") }
const largestFirst = eth.holders(token).map(({ owner }) => String(owner))

const cases: Readonly<Record<string, Case>> = {
  walletTransfers: {
    ...ofWallet,
    parameters: { from_block: newest[120]!.block },
    expected: transferKeys(newest.filter(({ block }) => block >= newest[120]!.block))
  },
  walletTransfersOfTokens: {
    path: `/${busyWallet}/erc20/transfers`,
    key: transferKey,
    parameters: { "contract_addresses[0]": token, "contract_addresses[1]": busyToken, order: "ASC" },
    expected: transferKeys(
      toArray(eth.walletTransfers(busyWallet)).filter((transfer) =>
        [token, busyToken].includes(transfer.token)
      )
    )
  },
  tokenTransfers: {
    path: `/erc20/${busyToken}/transfers`,
    key: transferKey,
    expected: transferKeys(toArray(eth.tokenTransfers(busyToken)).toReversed())
  },
  contractNfts: {
    path: `/nft/${collection721}`,
    key: field("token_id"),
    expected: eth.nfts(collection721).map(({ tokenId }) => String(tokenId))
  },
  nftOwners: {
    path: `/nft/${collection1155}/${shared.tokenId}/owners`,
    key: field("owner_of"),
    expected: shared.owners.map(({ owner }) => String(owner)).toSorted()
  },
  walletNftTrades: {
    path: `/wallets/${wallet}/nfts/trades`,
    key: (row) => `${row["transaction_hash"]}:${row["token_ids"]}`,
    expected: toArray(eth.walletTrades(wallet)).toReversed()
      .map(({ tokenIds, transaction }) => `${transaction}:${tokenIds}`)
  },
  tokenOwners: { ...owners, expected: largestFirst },
  tokenOwnersAscending: { ...owners, parameters: { order: "asc" }, expected: largestFirst.toReversed() }
}

describe("pages", () => {
  for (const [name, { expected, key, parameters, path }] of Object.entries(cases)) {
    it.effect(`${name}: pages contain every record once and in order for every page size`, () =>
      Effect.gen(function*() {
        const sandbox = yield* makeSandbox()
        expect(expected.length).toBeGreaterThan(1)
        for (const limit of [2, 7, 100]) {
          const pages = yield* readAllPages(sandbox, path, { ...parameters, limit })
          expect(records(pages).map(key)).toEqual(expected)
          expect(pages).toHaveLength(Math.ceil(expected.length / limit))
          expect(pages.map(({ page }) => page)).toEqual(pages.map((_, index) => index + 1))
          expect(new Set(pages.map(({ cursor }) => cursor)).size).toBe(pages.length)
        }
      }))
  }

  it.effect("ranges are inclusive, and a block takes precedence over a date", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const path = `/erc20/${busyToken}/transfers`
      const all = toArray(eth.tokenTransfers(busyToken))
      const from = all[50]!.block
      const to = all[90]!.block
      const inside = all.filter(({ block }) => block >= from && block <= to).length
      const time = (block: number, shift = 0) => new Date(eth.block(block)!.timestamp + shift).toISOString()
      const ranges: ReadonlyArray<QueryParameters> = [
        { from_block: from, to_block: to },
        { from_date: time(from), to_date: time(to) },
        { from_date: time(from, -1), to_date: time(to, 1) },
        { from_block: from, from_date: "2030-01-01", to_block: to, to_date: "2001-01-01" }
      ]
      for (const order of ["ASC", "DESC"]) {
        for (const range of ranges) {
          const rows = records(yield* readAllPages(sandbox, path, { ...range, order, limit: 7 }))
          expect(rows).toHaveLength(inside)
          expect(ascending(order === "ASC" ? blocks(rows) : blocks(rows).toReversed())).toBe(true)
        }
      }
      const empty: ReadonlyArray<QueryParameters> = [
        { from_date: time(to, 1), to_date: time(to, 2) },
        { from_date: "2100-01-01" },
        { to_date: "1980-01-01" }
      ]
      for (const range of empty) expect(records(yield* readAllPages(sandbox, path, range))).toEqual([])
    }))

  it.effect("new blocks do not affect descending pagination, and are included in ascending pagination", () =>
    Effect.gen(function*() {
      const path = `/${busyWallet}/erc20/transfers`
      const sandbox = yield* makeSandbox()
      for (const order of ["DESC", "ASC"]) {
        const pageAfter = (cursor?: string | null) =>
          Effect.map(
            send(sandbox, dataUrl(path, { limit: 50, order, cursor: cursor ?? undefined })),
            decodePage
          )
        const past = records(yield* readAllPages(sandbox, path, { limit: 50, order }))
        let page = yield* pageAfter()
        const rows = [...page.result]
        while (page.cursor !== null) {
          yield* sandbox.addBlocks("eth", 5)
          page = yield* pageAfter(page.cursor)
          rows.push(...page.result)
        }
        expect(rows.slice(0, past.length).map(transferKey)).toEqual(past.map(transferKey))
        expect(rows.length > past.length).toBe(order === "ASC")
        expect(new Set(rows.map(transferKey)).size).toBe(rows.length)
      }
    }))

  it.effect("a cursor is valid for its list, with any page size", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const path = `/erc20/${busyToken}/transfers`
      const { cursor } = decodePage(yield* send(sandbox, dataUrl(path, { limit: 3 })))
      const text = cursor ?? ""
      expect(yield* send(sandbox, dataUrl(path, { limit: 5, cursor: text }))).toMatchObject({ status: 200 })
      const otherLists = [
        dataUrl(path, { cursor: text, order: "ASC" }),
        dataUrl(path, { cursor: text, from_block: 1 }),
        dataUrl(`/erc20/${token}/transfers`, { cursor: text }),
        dataUrl(`/${wallet}/erc20/transfers`, { cursor: text })
      ]
      for (const url of otherLists) {
        const response = yield* send(sandbox, url)
        expect(response).toMatchObject({ status: 400, text: expect.stringContaining("does not match") })
      }
    }))

  it.effect("page sizes are 100 by default and set by options", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox({ defaultPageSize: 5, maxLimit: 200 })
      expect(decodePage(yield* send(sandbox, dataUrl(`/nft/${collection721}`))).result).toHaveLength(100)
      expect(decodePage(yield* send(sandbox, dataUrl(`/erc20/${token}/transfers`))).result).toHaveLength(5)
      const large = yield* send(sandbox, dataUrl(`/erc20/${busyToken}/transfers`, { limit: 201 }))
      expect(decodePage(large).page_size).toBe(200)
    }))
})

describe("holders", () => {
  it.effect.each([token, unpricedToken])(
    "of %s have percentages that sum to 100",
    (address) =>
      Effect.gen(function*() {
        const rows = records(
          yield* readAllPages(yield* makeSandbox(), `/erc20/${address}/owners`, { limit: 100 })
        )
        const percentages = rows.map((row) =>
          BigDecimal.unsafeFromString(String(row["percentage_relative_to_total_supply"]))
        )
        const total = percentages.reduce(BigDecimal.sum, BigDecimal.fromBigInt(0n))
        expect(BigDecimal.format(total)).toBe("100")
      })
  )
})

it.effect("a price is that of the exchange with a name or a factory address", () =>
  Effect.gen(function*() {
    const sandbox = yield* makeSandbox()
    const price = (exchange: string) => send(sandbox, dataUrl(`/erc20/${token}/price`, { exchange }))
    const first = yield* price("UniswapV2")
    expect(first.document).toMatchObject({ exchangeName: "Uniswap v2" })
    const factory = String(Object(first.document).exchangeAddress)
    expect((yield* price(factory)).document).toEqual(first.document)
  }))
