/** Values that the interface leaves open, through the library, the command line and the proxy. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Clients, clientsOver } from "../../../packages/http/test/support/TestClients.ts"
import { quarry, sandboxEnvironment } from "../../cli/test/support/quarry.ts"
import { sendRequest, start } from "./support/proxy.ts"

const address = `0x${"a1".repeat(20)}`
const hash = `0x${"ab".repeat(32)}`

/** A client that returns `body`, and the query of the last request. */
const upstream = (body: string) => {
  const last = { query: new URLSearchParams() }
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      last.query = url.searchParams
      return HttpClientResponse.fromWeb(
        request,
        new Response(body, { headers: { "content-type": "application/json" } })
      )
    })
  )
  return { client, last }
}

interface Door {
  readonly library: (clients: Clients) => Effect.Effect<unknown, unknown>
  readonly commandLine: ReadonlyArray<string>
  readonly path: string
}

const transfers = (parameter: "from_date" | "limit", value: string): Door => ({
  library: ({ data }) =>
    parameter === "limit"
      ? data.walletTransfers({ address, limit: Number(value) })
      : data.walletTransfers({ address, from_date: value }),
  commandLine: ["wallet", "transfers", address, `--${parameter.replace("_", "-")}`, value],
  path: `/${address}/erc20/transfers?${new URLSearchParams({ [parameter]: value }).toString()}`
})

const trades = (value: string): Door => ({
  library: ({ data }) => data.walletNftTrades({ address, to_date: value }),
  commandLine: ["wallet", "nft-trades", address, "--to-date", value],
  path: `/wallets/${address}/nfts/trades?to_date=${value}`
})

const chains = (value: string): Door => ({
  library: ({ data }) => data.walletChains({ address, chains: [value] }),
  commandLine: ["wallet", "chains", address, "--chains", value],
  path: `/wallets/${address}/chains?chains=${value}`
})

const sentValues: ReadonlyArray<readonly [door: Door, name: string, sent: string | null]> = [
  [transfers("limit", "200"), "limit", "200"],
  [transfers("limit", "1000000"), "limit", "1000000"],
  [transfers("from_date", "2024"), "from_date", "2024-01-01T00:00:00.000Z"],
  [transfers("from_date", "20240131"), "from_date", "2024-01-31T00:00:00.000Z"],
  [transfers("from_date", "20240131T101500Z"), "from_date", "2024-01-31T10:15:00.000Z"],
  [transfers("from_date", "2024-W01-1"), "from_date", "2024-01-01T00:00:00.000Z"],
  [transfers("from_date", "2024-060"), "from_date", "2024-02-29T00:00:00.000Z"],
  [transfers("from_date", "Wed, 31 Jan 2024 10:15:00 +0100"), "from_date", "2024-01-31T09:15:00.000Z"],
  [trades("20240131"), "to_date", "2024-01-31T00:00:00.000Z"],
  [trades("1706695200"), "to_date", "2024-01-31T10:00:00.000Z"],
  [chains("polygon"), "chains[]", "0x89"],
  [chains("monad"), "chains[]", "monad"],
  [chains("0x08F"), "chains[]", "0x8f"],
  // No default of the chain or of the page size is shown, so none is sent.
  [transfers("limit", "1"), "chain", null],
  [transfers("from_date", "2024-01-31"), "limit", null]
]

const price = (fields: object) => ({ usdPrice: 1.5, ...fields })
const transfer = (fields: object) => ({ transaction_hash: hash, block_number: 1, ...fields })
const nft = (fields: object) => ({ token_address: address, token_id: "1", ...fields })
const sale = {
  transaction_hash: hash,
  price: "5",
  payment_token: { token_symbol: "ETH", token_decimals: "18" }
}

const pricePaths: Door = {
  library: ({ data }) => data.tokenPrice({ address }),
  commandLine: ["token", "price", address],
  path: `/erc20/${address}/price`
}
const transferPaths: Door = {
  library: ({ data }) => Effect.map(data.walletTransfers({ address }), ({ result }) => result[0]),
  commandLine: ["wallet", "transfers", address],
  path: `/${address}/erc20/transfers`
}
const ownerPaths: Door = {
  library: ({ data }) => Effect.map(data.tokenOwners({ token_address: address }), ({ result }) => result[0]),
  commandLine: ["token", "owners", address],
  path: `/erc20/${address}/owners`
}
const nftPaths: Door = {
  library: ({ data }) => data.nftMetadata({ address, token_id: "1" }),
  commandLine: ["nft", "get", address, "1"],
  path: `/nft/${address}/1`
}
const chainPaths: Door = {
  library: ({ data }) => data.walletChains({ address }),
  commandLine: ["wallet", "chains", address],
  path: `/wallets/${address}/chains`
}

interface Received {
  readonly door: Door
  /** The record in the response. */
  readonly record: object
  readonly body?: (record: object) => object
  /** Fields of the decoded record. */
  readonly decoded: object
  readonly unreadable: number
}

const page = (record: object) => ({ cursor: null, result: [record] })

const receivedValues: ReadonlyArray<Received> = [
  {
    door: transferPaths,
    record: transfer({ to_address: "" }),
    body: page,
    decoded: { to_address: null },
    unreadable: 0
  },
  {
    door: transferPaths,
    record: transfer({ token_symbol: "", value: "" }),
    body: page,
    decoded: { token_symbol: null, value: null },
    unreadable: 0
  },
  {
    door: pricePaths,
    record: price({ "24hrPercentChange": "N/A" }),
    decoded: { "24hrPercentChange": null },
    unreadable: 1
  },
  {
    door: pricePaths,
    record: price({ pairTotalLiquidityUsd: "NaN" }),
    decoded: { pairTotalLiquidityUsd: null },
    unreadable: 1
  },
  {
    door: ownerPaths,
    record: { owner_address: address, usd_value: "Infinity", percentage_relative_to_total_supply: "NaN" },
    body: page,
    decoded: { usd_value: null, percentage_relative_to_total_supply: null },
    unreadable: 2
  },
  {
    door: nftPaths,
    record: nft({ last_metadata_sync: "n/a", last_token_uri_sync: 5 }),
    decoded: { last_metadata_sync: null, last_token_uri_sync: null },
    unreadable: 2
  },
  {
    door: nftPaths,
    record: nft({ rarity_rank: "unranked", rarity_percentage: "NaN" }),
    decoded: { rarity_rank: null, rarity_percentage: null },
    unreadable: 2
  },
  {
    door: nftPaths,
    record: nft({ last_sale: { ...sale, price: "0.5" } }),
    decoded: { last_sale: null },
    unreadable: 1
  },
  {
    door: nftPaths,
    record: nft({ last_sale: { ...sale, current_usd_value: "N/A" } }),
    decoded: { last_sale: expect.objectContaining({ current_usd_value: null }) },
    unreadable: 1
  },
  {
    door: nftPaths,
    record: nft({ last_sale: { ...sale, payment_token: { token_decimals: "many" } } }),
    decoded: { last_sale: expect.objectContaining({ payment_token: null }) },
    unreadable: 1
  },
  {
    door: chainPaths,
    record: { chain: "eth", chain_id: "0x1", first_transaction: { block_number: "latest" } },
    body: (record) => ({ address, active_chains: [record] }),
    decoded: { active_chains: [expect.objectContaining({ chain: "eth", first_transaction: null })] },
    unreadable: 1
  }
]

describe("a value that callers write", () => {
  it.scopedLive.each(sentValues)(
    "%j is sent: %s=%s",
    ([{ commandLine, library, path }, name, sent]) =>
      Effect.gen(function*() {
        const body = JSON.stringify({ address, active_chains: [], result: [] })
        const { client, last } = upstream(body)
        yield* library(yield* clientsOver(client))
        expect(last.query.get(name)).toBe(sent)
        const { code, err } = yield* quarry(commandLine, { client, env: sandboxEnvironment })
        expect([code, err]).toEqual([0, expect.any(String)])
        expect(last.query.get(name)).toBe(sent)
        const { port } = yield* start({ httpClient: client })
        const { status } = yield* sendRequest(port, `/api/v2.2${path}`)
        expect([status, last.query.get(name)]).toEqual([200, sent])
      })
  )
})

describe("a value that upstreams return", () => {
  it.scopedLive.each(receivedValues)(
    "$record",
    ({ body = (record) => record, decoded, door, record, unreadable }) =>
      Effect.gen(function*() {
        const text = JSON.stringify(body(record))
        const { client } = upstream(text)
        const [value, usage] = yield* CallUsage.withUsage(door.library(yield* clientsOver(client)))
        expect(value).toMatchObject(decoded)
        expect(usage.unreadableFields).toBe(unreadable)
        const { code, out } = yield* quarry([...door.commandLine, "-o", "ndjson"], {
          client,
          env: sandboxEnvironment
        })
        expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining(decoded)])
        const raw = yield* quarry([...door.commandLine, "--raw"], { client, env: sandboxEnvironment })
        expect(JSON.parse(raw.out)).toEqual(body(record))
        const { port } = yield* start({ httpClient: client })
        const response = yield* sendRequest(port, `/api/v2.2${door.path}`)
        expect([response.status, response.text]).toEqual([200, text])
      })
  )
})
