/** Compares the HTTP requests of every operation with golden records. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { operationIds } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { record } from "../../../core/test/golden/support/record.ts"
import { userAgent } from "../../src/ApiOptions.ts"
import { minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const other = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"
const hash = `0x${"Ab".repeat(32)}`

type Calls = Readonly<
  Record<string, (clients: TestClients.Clients) => Effect.Effect<unknown, OperationError>>
>

const calls: Calls = {
  "walletTransfers": ({ data }) => data.walletTransfers({ address }),
  "walletTransfers, every parameter": ({ data }) =>
    data.walletTransfers({
      address,
      chain: "polygon amoy",
      contract_addresses: [other, address],
      from_block: 10_000_000,
      to_block: 20_000_000,
      limit: 25,
      order: "ASC",
      cursor: "a+b/c=&?#é"
    }),
  "walletTransfers, dates": ({ data }) =>
    data.walletTransfers({ address, from_date: "2024-01-02", to_date: "2024-02-03T04:05:06.789+01:00" }),
  "walletTransfers, one contract": ({ data }) =>
    data.walletTransfers({ address, contract_addresses: [other] }),
  "walletTransfers, no contract": ({ data }) => data.walletTransfers({ address, contract_addresses: [] }),
  "tokenTransfers": ({ data }) => data.tokenTransfers({ address }),
  "tokenTransfers, every parameter": ({ data }) =>
    data.tokenTransfers({
      address: other,
      chain: "0x1",
      from_block: 0,
      to_block: 1,
      limit: 1,
      order: "DESC",
      cursor: "next"
    }),
  "tokenTransfers, dates": ({ data }) =>
    data.tokenTransfers({ address, from_date: new Date(1_700_000_000_000), to_date: "2024-01-02T03:04:05Z" }),
  "contractNfts": ({ data }) => data.contractNfts({ address }),
  "contractNfts, every parameter": ({ data }) =>
    data.contractNfts({
      address,
      chain: "base sepolia",
      format: "hex",
      limit: 100,
      totalRanges: 4,
      range: 2,
      cursor: "next",
      normalizeMetadata: true,
      media_items: false
    }),
  "nftOwners": ({ data }) => data.nftOwners({ address, token_id: "1" }),
  "nftOwners, every parameter": ({ data }) =>
    data.nftOwners({
      address,
      token_id: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      chain: "bsc",
      format: "decimal",
      limit: 10,
      cursor: "next",
      normalizeMetadata: false,
      media_items: true
    }),
  "walletNftTrades": ({ data }) => data.walletNftTrades({ address }),
  "walletNftTrades, every parameter": ({ data }) =>
    data.walletNftTrades({
      address,
      chain: "arbitrum",
      from_block: 1,
      to_block: 2,
      cursor: "next",
      limit: 3
    }),
  "walletNftTrades, dates": ({ data }) =>
    data.walletNftTrades({ address, from_date: 1_700_000_000, to_date: "2024-02-03" }),
  "tokenOwners": ({ data }) => data.tokenOwners({ token_address: address }),
  "tokenOwners, every parameter": ({ data }) =>
    data.tokenOwners({ token_address: address, chain: "eth", limit: 5, cursor: "next", order: "ASC" }),
  "nftMetadata": ({ data }) => data.nftMetadata({ address, token_id: "1" }),
  "nftMetadata, every parameter": ({ data }) =>
    data.nftMetadata({
      address,
      token_id: "0xff",
      chain: "gnosis",
      format: "decimal",
      normalizeMetadata: true,
      media_items: true
    }),
  "tokenPrice": ({ data }) => data.tokenPrice({ address }),
  "tokenPrice, every parameter": ({ data }) =>
    data.tokenPrice({
      address,
      chain: "eth",
      include: "percent_change",
      exchange: other,
      to_block: 12_345_678
    }),
  "walletChains": ({ data }) => data.walletChains({ address }),
  "walletChains, every parameter": ({ data }) =>
    data.walletChains({ address, chains: ["eth", "0x89", "polygon amoy"] }),
  "updateStreamStatus": ({ streams }) => streams.updateStreamStatus({ id: "stream-1", status: "paused" }),
  "updateStreamStatus, an id to be escaped": ({ streams }) =>
    streams.updateStreamStatus({ id: "a b?c#d%e", status: "active" }),
  "ledgerTransaction": ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash }),
  "ledgerTransaction, test network": ({ ledgerTestnet }) =>
    ledgerTestnet.ledgerTransaction({ txn_hash: hash })
}

/** Returns the requests of a call, which fails. */
const requests = (options: TestClients.HarnessOptions, chosen: Calls) =>
  Effect.gen(function*() {
    const { requests, ...clients } = yield* TestClients.harness(() => ScriptedClient.respond(500), {
      ...minimalOptions,
      ...options
    })
    const sent: Record<string, unknown> = {}
    for (const [name, call] of Object.entries(chosen)) {
      yield* Effect.flip(call(clients))
      const [request, ...more] = requests.splice(0)
      expect(more).toEqual([])
      const { "content-length": _, ...headers } = { ...request?.headers }
      expect(headers).toEqual({
        "accept": "application/json",
        "user-agent": userAgent,
        "x-api-key": TestClients.key,
        ...request?.body === null ? {} : { "content-type": "application/json" }
      })
      sent[name] = `${request?.method} ${request?.url.href}${
        request?.body === null ? "" : ` ${request?.body}`
      }`
    }
    return sent
  })

const named = (...names: ReadonlyArray<string>): Calls =>
  Object.fromEntries(Object.entries(calls).filter(([name]) => names.includes(name)))

it.effect("the requests of every operation match the golden record", () =>
  Effect.gen(function*() {
    expect(new Set(Object.keys(calls).map((name) => name.replace(/,.*/, "")))).toEqual(new Set(operationIds))
    const sent = yield* requests({}, calls)
    yield* Effect.promise(() => record("wire", sent))
  }))

it.effect("arrays match the golden record in every format", () =>
  Effect.gen(function*() {
    const lists = named("walletTransfers, one contract", "walletChains, every parameter")
    const sent = {
      brackets: yield* requests({ arrayFormat: "brackets" }, lists),
      indices: yield* requests({ arrayFormat: "indices" }, lists),
      repeat: yield* requests({ arrayFormat: "repeat" }, lists),
      comma: yield* requests({ arrayFormat: "comma" }, lists)
    }
    yield* Effect.promise(() => record("wire.arrays", sent))
  }))

const urls = [
  "https://host.test",
  "https://host.test/",
  "https://host.test:8443/path/",
  "http://host.test/api/v2.2",
  "https://HOST.test/api/v2.2//"
]

it.effect("base URLs and paths are joined as recorded", () =>
  Effect.gen(function*() {
    const sent: Record<string, unknown> = {}
    for (const url of urls) {
      sent[url] = yield* requests(
        { baseUrl: url },
        named("tokenPrice", "updateStreamStatus", "ledgerTransaction")
      )
    }
    yield* Effect.promise(() => record("wire.baseUrls", sent))
  }))

const transfer = (block: number, log: number) => ({
  transaction_hash: `0x${String(block).repeat(64)}`,
  block_number: block,
  log_index: log,
  value: "5"
})

const pagesByCursor: ScriptedClient.Script = [
  ScriptedClient.json({ page: 0, page_size: 1, cursor: "second", result: [transfer(9, 1)] }),
  ScriptedClient.json({ page: 1, page_size: 1, cursor: "third", result: [transfer(8, 1)] }),
  ScriptedClient.json({ page: 2, page_size: 1, cursor: null, result: [transfer(7, 1)] })
]

/** An upstream without cursors: pages of two records, newest block first. */
const pagesByBlock = ({ url }: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
  const top = Number(url.searchParams.get("to_block") ?? 9)
  const all = [transfer(9, 1), transfer(8, 2), transfer(8, 1), transfer(7, 1)]
  return ScriptedClient.json({
    total: 4,
    result: all.filter(({ block_number }) => block_number <= top).slice(0, 3)
  })
}

it.effect("the requests of pagination match the golden record", () =>
  Effect.gen(function*() {
    const byMode: Record<string, unknown> = {}
    for (const [name, script] of Object.entries({ "by cursor": pagesByCursor, "by block": pagesByBlock })) {
      const { requests, data } = yield* TestClients.harness(script, minimalOptions)
      const items = yield* Stream.runCollect(data.walletTransfers.items({ address, chain: "eth", limit: 3 }))
      byMode[name] = {
        requests: requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`),
        records: [...items].map(({ block_number, log_index }) => `${block_number}:${log_index}`)
      }
    }
    yield* Effect.promise(() => record("wire.lists", byMode, 3))
  }))
