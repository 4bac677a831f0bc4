/** Tests the requests of every operation with every parameter, byte by byte. */
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { address, contract, examples, hash } from "./support/Examples.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

const mixed = `0x${"aB".repeat(20)}`
const digits = String(2n ** 256n - 1n)
const cursor = "a b&c=d/e?f#g+h%20é"
const echoed = "a%20b%26c%3Dd%2Fe%3Ff%23g%2Bh%2520%C3%A9"
const main = "https://data.test/api/v2.2"

type Case = readonly [
  name: string,
  call: (clients: TestClients.Clients) => Effect.Effect<unknown, { readonly _tag: string }>,
  sent: readonly [method: string, url: string, body?: string]
]

const cases: ReadonlyArray<Case> = [
  [
    "walletTransfers by block",
    ({ data }) =>
      data.walletTransfers({
        address: mixed,
        chain: "polygon amoy",
        contract_addresses: [contract, mixed],
        from_block: 1,
        to_block: 20,
        limit: 5,
        order: "ASC",
        cursor
      }),
    [
      "GET",
      `${main}/${address}/erc20/transfers?chain=0x13882&contract_addresses%5B%5D=${contract}` +
      `&contract_addresses%5B%5D=${address}&limit=5&order=ASC&cursor=${echoed}&from_block=1&to_block=20`
    ]
  ],
  [
    "walletTransfers by date",
    ({ data }) =>
      data.walletTransfers({
        address,
        from_date: "2024-01-02",
        to_date: new Date("2024-01-02T05:04:05+02:00")
      }),
    [
      "GET",
      `${main}/${address}/erc20/transfers?from_date=2024-01-02T00%3A00%3A00.000Z&to_date=2024-01-02T03%3A04%3A05.000Z`
    ]
  ],
  [
    "tokenTransfers",
    ({ data }) =>
      data.tokenTransfers({
        address: mixed,
        chain: "0x1",
        from_block: 0,
        to_date: "2024-01-02",
        limit: 1,
        order: "DESC",
        cursor
      }),
    [
      "GET",
      `${main}/erc20/${address}/transfers?chain=0x1&limit=1&order=DESC&cursor=${echoed}` +
      "&from_block=0&to_date=2024-01-02T00%3A00%3A00.000Z"
    ]
  ],
  [
    "contractNfts",
    ({ data }) =>
      data.contractNfts({
        address: mixed,
        chain: "base",
        format: "hex",
        limit: 100,
        totalRanges: 4,
        range: 1,
        cursor,
        normalizeMetadata: true,
        media_items: false
      }),
    [
      "GET",
      `${main}/nft/${address}?chain=0x2105&format=hex&limit=100&totalRanges=4&range=1&cursor=${echoed}` +
      "&normalizeMetadata=true&media_items=false"
    ]
  ],
  [
    "nftOwners",
    ({ data }) =>
      data.nftOwners({
        address: mixed,
        token_id: `0x${"f".repeat(64)}`,
        chain: "eth",
        format: "decimal",
        limit: 2,
        cursor,
        normalizeMetadata: false,
        media_items: true
      }),
    [
      "GET",
      `${main}/nft/${address}/${digits}/owners?chain=0x1&format=decimal&limit=2&cursor=${echoed}` +
      "&normalizeMetadata=false&media_items=true"
    ]
  ],
  [
    "walletNftTrades",
    ({ data }) =>
      data.walletNftTrades({
        address: mixed,
        chain: "arbitrum",
        from_date: 1_704_164_645,
        to_block: 9,
        limit: 3,
        cursor
      }),
    [
      "GET",
      `${main}/wallets/${address}/nfts/trades?chain=0xa4b1&cursor=${echoed}&limit=3` +
      "&from_date=2024-01-02T03%3A04%3A05.000Z&to_block=9"
    ]
  ],
  [
    "tokenOwners",
    ({ data }) =>
      data.tokenOwners({ token_address: mixed, chain: "moonbase", limit: 7, order: "ASC", cursor }),
    ["GET", `${main}/erc20/${address}/owners?chain=0x507&limit=7&cursor=${echoed}&order=ASC`]
  ],
  [
    "nftMetadata",
    ({ data }) =>
      data.nftMetadata({
        address: mixed,
        token_id: 2n ** 256n - 1n,
        chain: "linea",
        format: "decimal",
        normalizeMetadata: true,
        media_items: true
      }),
    [
      "GET",
      `${main}/nft/${address}/${digits}?chain=0xe708&format=decimal&normalizeMetadata=true&media_items=true`
    ]
  ],
  [
    "tokenPrice",
    ({ data }) =>
      data.tokenPrice({
        address: mixed,
        chain: "palm",
        include: "percent_change",
        exchange: "mm finance",
        to_block: 16314545
      }),
    [
      "GET",
      `${main}/erc20/${address}/price?chain=0x2a15c308d&include=percent_change&exchange=mm%20finance&to_block=16314545`
    ]
  ],
  [
    "walletChains",
    ({ data }) => data.walletChains({ address: mixed, chains: ["eth", "0x89"] }),
    ["GET", `${main}/wallets/${address}/chains?chains%5B%5D=0x1&chains%5B%5D=0x89`]
  ],
  [
    "updateStreamStatus",
    ({ streams }) => streams.updateStreamStatus({ id: "a..b?c", status: "terminated" }),
    ["POST", "https://streams.test/streams/evm/a..b%3Fc/status", `{"status":"terminated"}`]
  ],
  [
    "ledgerTransaction",
    ({ ledger }) => ledger.ledgerTransaction({ txn_hash: hash.toUpperCase().replace("0X", "0x") }),
    ["GET", `https://ledger.test/transactions/by_hash/${hash}`]
  ],
  [
    "ledgerTransaction on the test network",
    ({ ledgerTestnet }) => ledgerTestnet.ledgerTransaction({ txn_hash: hash }),
    ["GET", `https://testnet.test/transactions/by_hash/${hash}`]
  ]
]

describe("a request", () => {
  it.effect.each(cases)("%s", ([, call, [method, url, body]]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([ScriptedClient.respond(404)])
      yield* Effect.ignore(call(harness))
      expect(harness.requests.map((requests) => ({ ...requests, url: requests.url.href }))).toMatchObject([
        { method, url, body: body ?? null }
      ])
      expect(harness.requests[0]?.headers).toEqual({
        "accept": "application/json",
        "user-agent": ApiOptions.userAgent,
        "x-api-key": TestClients.key,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) })
      })
    }))

  it.effect.each(examples)(
    "of $id without optional parameters has no query",
    ({ call }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.respond(404)])
        yield* Effect.ignore(call(harness))
        expect(harness.requests.map(({ url }) => url.search)).toEqual([""])
      })
  )

  const formats = [
    ["brackets", "chains%5B%5D=0x1&chains%5B%5D=0x89"],
    ["indices", "chains%5B0%5D=0x1&chains%5B1%5D=0x89"],
    ["repeat", "chains=0x1&chains=0x89"],
    ["comma", "chains=0x1%2C0x89"]
  ] as const

  it.effect.each(formats)(
    "encodes arrays by arrayFormat: %s",
    ([arrays, query]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.respond(404)], { arrayFormat: arrays })
        yield* Effect.ignore(harness.data.walletChains({ address, chains: ["eth", "polygon"] }))
        expect(harness.requests[0]?.url.search).toBe(`?${query}`)
      })
  )

  it.effect("omits parameters that are undefined, empty, or an empty array", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([ScriptedClient.respond(404)])
      const input = { address, chain: undefined, contract_addresses: [], from_date: "", cursor: "" }
      yield* Effect.ignore(harness.data.walletTransfers(input))
      expect(harness.requests.map(({ url }) => url.search)).toEqual([""])
    }))

  it.effect("is sent through transformClient", () =>
    Effect.gen(function*() {
      const transformed = ScriptedClient.make([ScriptedClient.respond(404)])
      const harness = yield* TestClients.harness([], { transformClient: () => transformed.client })
      yield* Effect.ignore(harness.data.walletChains({ address }))
      expect([harness.requests.length, transformed.requests.length]).toEqual([0, 1])
    }))
})
