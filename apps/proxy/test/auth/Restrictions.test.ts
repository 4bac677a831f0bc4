/** What clients with chains and contracts of their own may ask for. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaults } from "../../src/config/Config.ts"
import { examples, sendRequest, start, testClient } from "../support/proxy.ts"

const { token, wallet } = examples
const other = `0x${"AB".repeat(20)}`

const clients = [
  testClient("chains", "chains", { chains: ["eth", "0x89", "monad"] }),
  testClient("contracts", "contracts", {
    contracts: [token, other.toLowerCase()],
    scopes: ["read", "write"]
  }),
  testClient("both", "both", { chains: ["polygon"], contracts: [token] })
]

const rule = {
  name: "stats",
  method: "GET" as const,
  path: "/api/v2.2/stats",
  api: "data" as const,
  cost: null,
  cacheTtl: null,
  retry: false,
  clients: ["chains"]
}

const transfers = `/api/v2.2/${wallet}/erc20/transfers`
const price = (address: string, query = "") => `/api/v2.2/erc20/${address}/price${query}`
const allowed = null

const table: ReadonlyArray<readonly [client: string, path: string, code: string | null]> = [
  ["chains", price(token), allowed],
  ["chains", price(token, "?chain=ETH"), allowed],
  ["chains", price(token, "?chain=0x0001"), allowed],
  ["chains", price(token, "?chain=polygon"), allowed],
  ["chains", price(token, "?chain=monad"), allowed],
  ["chains", price(token, "?chain=base"), "chain-not-allowed"],
  ["chains", price(token, "?chain=0x2105"), "chain-not-allowed"],
  ["chains", price(token, "?chain=eth&chain=base"), "invalid-request"],
  ["chains", `/api/v2.2/wallets/${wallet}/chains`, "chain-not-allowed"],
  ["chains", `/api/v2.2/wallets/${wallet}/chains?chains=eth,polygon`, allowed],
  ["chains", `/api/v2.2/wallets/${wallet}/chains?chains[]=eth&chains[1]=base`, "chain-not-allowed"],
  ["chains", `/api/v2.2/wallets/${wallet}/chains?chain=0x1`, "chain-not-allowed"],
  ["chains", `${price(token)}?Chain=base`, "chain-not-allowed"],
  ["chains", `/all${transfers}?chain=base`, "chain-not-allowed"],
  ["chains", "/api/v2.2/any/other", "passthrough-refused"],
  ["chains", "/api/v2.2/stats", allowed],
  ["chains", `/transactions/by_hash/${examples.transaction}`, allowed],
  ["contracts", price(token), allowed],
  ["contracts", price(other), allowed],
  ["contracts", price(other.toLowerCase()), allowed],
  ["contracts", price(wallet), "contract-not-allowed"],
  ["contracts", `/api/v2.2/nft/${examples.collection721}/1`, "contract-not-allowed"],
  ["contracts", transfers, "contract-not-allowed"],
  ["contracts", `${transfers}?contract_addresses[]=${token}`, allowed],
  [
    "contracts",
    `${transfers}?contract_addresses[]=${token}&contract_addresses[]=${wallet}`,
    "contract-not-allowed"
  ],
  ["contracts", `/api/v2.2/wallets/${wallet}/chains?chains=eth`, "contract-not-allowed"],
  ["contracts", `/api/v2.2/wallets/${wallet}/nfts/trades`, "contract-not-allowed"],
  [
    "contracts",
    `/api/v2.2/wallets/${wallet}/chains?contract_addresses=${token}`,
    "contract-not-allowed"
  ],
  [
    "contracts",
    `/api/v2.2/wallets/${wallet}/nfts/trades?contract_addresses[]=${token}`,
    "contract-not-allowed"
  ],
  ["contracts", `${price(token)}?address=${wallet}`, "contract-not-allowed"],
  ["contracts", `${price(token)}?unknown=1`, allowed],
  ["contracts", `/all${transfers}`, "contract-not-allowed"],
  ["contracts", "/api/v2.2/stats", "passthrough-refused"],
  ["both", price(token), "chain-not-allowed"],
  ["both", price(token, "?chain=polygon"), allowed],
  ["both", price(wallet, "?chain=polygon"), "contract-not-allowed"]
]

it.scopedLive.each(table)(
  "the client with %s asks for %s: %s",
  ([client, path, code]) =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start({
        config: {
          clients: [...clients, testClient("free", "free")],
          cache: defaults.cache,
          passthrough: { default: "reads", rules: [rule] }
        }
      })
      // A response in the cache is not for every client either.
      yield* sendRequest(port, path, { headers: { "x-api-key": "free" } })
      yield* sandbox.clearRecordedRequests
      const { status, text } = yield* sendRequest(port, path, { headers: { "x-api-key": client } })
      if (code === null) return expect(text).not.toContain("not-allowed")
      expect(JSON.parse(text)).toMatchObject({ code })
      expect([status, (yield* sandbox.recordedRequests).length]).toEqual([
        code === "invalid-request" ? 400 : 403,
        0
      ])
    })
)

it.scopedLive.each(
  [
    [`${price(token)}?chain=monad`, 200, 400],
    [`/api/v2.2/nft/${examples.collection721}?format=octal`, 200, 400],
    [`/api/v2.2/nft/${examples.collection721}?format=hex`, 200, 200],
    [`${transfers}?order=RANDOM`, 200, 400],
    [`${transfers}?from_date=someday`, 200, 400],
    [`${price(token)}?chain=0x1`, 200, 200],
    [`${price(token)}?chain=polygn`, 400, 400],
    [`${transfers}?limit=x`, 400, 400],
    [`${transfers}?unknown=1`, 200, 200]
  ] as const
)("validation of %s: lenient %i, strict %i", ([path, lenient, strict]) =>
  Effect.gen(function*() {
    for (const [validation, expected] of [["lenient", lenient], ["strict", strict]] as const) {
      const { port, sandbox } = yield* start({ config: { validation } })
      const { status } = yield* sendRequest(port, path)
      const { length } = yield* sandbox.recordedRequests
      // The sandbox rejects some values that are forwarded.
      expect([validation, length > 0 ? 200 : status]).toEqual([validation, expected])
    }
  }))
