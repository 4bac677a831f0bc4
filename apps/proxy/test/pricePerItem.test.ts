/** Prices for each item: no spelling of a request passes a used up quota, or costs less than an upstream may bill. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Config } from "../src/config/Config.ts"
import * as Values from "../src/config/ValueSchemas.ts"
import * as FakeUpstream from "./fleet/support/FakeUpstream.ts"
import { ledger, sendRequest, start, testClient, testEndpoints, testRule } from "./support/proxy.ts"

const costOf = Schema.decodeUnknownSync(Values.Cost)

const address = `0x${"a1".repeat(20)}`
const items = "/api/v2.2/items"
const chains = `/api/v2.2/wallets/${address}/chains`

const clients = (dailyQuota: number) =>
  ["shop", "search"].map((name) => testClient(name, `token of ${name}`, { dailyQuota }))

/** Sends a request of a client. Returns its status, and what remains of its quota. */
const sender = (port: number) => (path: string, client = "shop", body?: string) =>
  Effect.map(
    sendRequest(port, path, {
      headers: { "x-api-key": `token of ${client}` },
      ...(body === undefined ? {} : { method: "POST", body })
    }),
    ({ headers, status }) => ({
      status,
      remaining: Number(/;r=(\d+)/.exec(String(headers["ratelimit"]))?.[1])
    })
  )

/** A proxy with a price for each of 100 items, and an upstream that reports no prices. */
const setup = (dailyQuota: number, config: Partial<Config> = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make
    const rule = testRule("items", items, {
      cost: costOf({ price: 1, rateCost: 1, per: { parameter: "limit", maxItems: 100 } }),
      clients: ["shop", "search"]
    })
    const { port } = yield* start({
      endpoints: { ...testEndpoints, baseUrls: { ...testEndpoints.baseUrls, data: upstream.url } },
      httpClient: yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer),
      config: {
        clients: clients(dailyQuota),
        passthrough: {
          default: "off",
          rules: [rule, { ...rule, name: "sent", method: "POST" }]
        },
        ...config
      }
    })
    return { send: sender(port), upstream }
  })

/** Requests whose number of items an upstream may read in several ways, or which exceeds the maximum. */
const unclear = [
  "",
  ..."?limit ?limit= ?limit=0 ?limit=00 ?limit=+50 ?limit=%2B50 ?limit=-1 ?limit=0x32 ?limit=050".split(" "),
  ..."?limit=5e1 ?limit=50.0 ?limit=50%20 ?limit=50,0 ?limit=%EF%BC%95%EF%BC%90 ?limit=1;limit=50".split(" "),
  ..."?limit=101 ?limit=999950 ?limit=1000000000 ?limit=9999999999".split(" "),
  `?limit=${"9".repeat(400)}`,
  ..."?limit=100&limit=0 ?limit=1&limit=1 ?limit[]=1 ?limit%5B%5D=1 ?limit[0]=1 ?limit[a]=1".split(" "),
  ..."?limit=1&limit[]=50 ?limit=1&LIMIT=50 ?LIMIT=1".split(" ")
]

describe("the price for each item", () => {
  it.scopedLive("is that of the maximum number unless the request says clearly how many", () =>
    Effect.gen(function*() {
      const remaining = { shop: 100_000, search: 100_000 }
      const { send } = yield* setup(100_000)
      const priceOf = (path: string, client: keyof typeof remaining = "shop", body?: string) =>
        Effect.map(send(path, client, body), (after) => {
          const price = remaining[client] - after.remaining
          remaining[client] = after.remaining
          return { path, price, status: after.status }
        })
      for (const query of unclear) {
        const path = items + query
        expect(yield* priceOf(path)).toEqual({ path, price: 100, status: 200 })
      }
      expect(yield* priceOf(`${items}?limit=1`, "shop", "{\"limit\":50}")).toMatchObject({ price: 100 })
      for (const price of [1, 25, 100]) {
        expect(yield* priceOf(`${items}?limit=${price}&q=a`)).toMatchObject({ price })
      }
      expect(yield* priceOf(`${items}?limit=7`, "search")).toMatchObject({ price: 7 })
    }))

  it.scopedLive("is never taken from a used up quota, whose client sends nothing, while another is served", () =>
    Effect.gen(function*() {
      const { send, upstream } = yield* setup(100)
      expect(yield* send(`${items}?limit=100`)).toEqual({ status: 200, remaining: 0 })
      for (const query of [...unclear, "?limit=1"]) {
        expect([query, yield* send(items + query)]).toEqual([query, { status: 429, remaining: 0 }])
      }
      expect(upstream.received).toHaveLength(1)
      expect(yield* send(`${items}?limit=40`, "search")).toEqual({ status: 200, remaining: 60 })
    }))

  it.scopedLive("is for each client what the sandbox bills, in every spelling of a list", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ ledger })
      let billed = 0
      const httpClient = HttpClient.transformResponse(
        Sandbox.httpClient(sandbox),
        Effect.tap(({ headers }) => Effect.sync(() => void (billed += Number(headers["x-request-weight"]))))
      )
      const quota = 100_000
      const { port } = yield* start({ httpClient, config: { clients: clients(quota) } })
      const send = sender(port)
      const queries = {
        shop: ["", "?chains=", "?chains=eth", "?chains[]=eth&chains[]=0x89", "?chains=eth,base,bsc"],
        search: ["?chains[0]=eth&chains[1]=base", "?chains=eth&chains=polygon", "?chains=eth&chain=base"]
      }
      for (const client of ["shop", "search"] as const) {
        billed = 0
        for (const query of queries[client]) {
          const { remaining } = yield* send(chains + query, client)
          expect([query, quota - remaining]).toEqual([query, billed])
        }
      }
      expect(billed).toBe((2 + 2 + 1) * 50)
    }))
})
