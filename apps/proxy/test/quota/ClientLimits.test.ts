/** Limits on what each client has in flight, over sockets. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { defaults } from "../../src/config/Config.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { bytes, type ConnectionClosed, type HeldConnection, openConnection } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { openAdmin, sendRequest, testClient } from "../support/proxy.ts"

const tokens = { one: "token of one", two: "token of two" }

const page = rawResponse(200, `{"result":[],"cursor":null,"page":0,"page_size":100}`)

/** A share of 4 requests in flight per client. */
const limits = { clientShare: 0.25, maxConcurrentRequests: 16, maxListsPerClient: 2 }

const start = Harness.start({
  limits,
  config: {
    clients: [testClient("one", tokens.one), testClient("two", tokens.two)],
    cache: defaults.cache,
    admin: openAdmin
  }
})

const request = (port: number, token: string, target: string, method = "GET") =>
  sendRequest(port, target, { method, headers: { "x-api-key": token } })

/** Sends different requests that the upstream does not answer, and waits until it has received them. */
const hang = (
  { port, upstream }: Effect.Effect.Success<typeof start>,
  token: string,
  target: string,
  count: number
): Effect.Effect<ReadonlyArray<HeldConnection>, ConnectionClosed, Scope.Scope> =>
  Effect.gen(function*() {
    upstream.respondWith(() => null)
    const before = upstream.requests().length
    const connections = yield* Effect.forEach(Array.from({ length: count }), () => openConnection(port))
    for (const [index, { socket }] of connections.entries()) {
      const line = `GET ${target}?limit=${before + index + 1} HTTP/1.1`
      socket.write(bytes(`${line}\r\nHost: localhost\r\nX-API-Key: ${token}\r\n\r\n`))
    }
    yield* upstream.waitForRequests(before + count)
    upstream.respondWith(() => page)
    return connections
  })

describe("requests that wait for the rate limit of their client", () => {
  for (const [name, target] of [["single requests", transfers], ["lists", `/all${transfers}`]] as const) {
    it.scopedLive(`do not count as requests in flight: ${name}`, () =>
      Effect.gen(function*() {
        const { ended, lines, port, upstream } = yield* Harness.start({
          limits,
          config: {
            // Each of four requests waits for at most 40 s.
            clients: [testClient("one", tokens.one, { rateLimit: { limit: 1, window: 10_000 } })],
            costs: { ...defaults.costs, walletTransfers: { price: 1, rateCost: 1 } },
            quotas: { ...defaults.quotas, maxQueue: 4, maxWait: Duration.minutes(1) }
          }
        })
        upstream.respondWith(() => page)
        expect(yield* request(port, tokens.one, transfers)).toMatchObject({ status: 200 })
        yield* Effect.forEach(
          Array.from({ length: 10 }),
          () => Effect.forkScoped(request(port, tokens.one, target))
        )
        yield* ended(429, 6)
        const codes = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 429)
        expect(new Set(codes.map(({ code }) => code))).toEqual(new Set(["client-rate-limited"]))
      }))
  }
})

it.scopedLive("a list that waits for the rate limit of its client takes no capacity of other clients", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start({
      limits: { maxConcurrentRequests: 1, clientShare: 1 },
      config: {
        // The second page waits for 50 s.
        clients: [
          testClient("one", tokens.one, { rateLimit: { limit: 1, window: 50_000 } }),
          testClient("two", tokens.two)
        ],
        costs: { ...defaults.costs, contractNfts: { price: 1, rateCost: 1 } }
      }
    })
    const address = `0x${"a".repeat(40)}`
    const nft = { token_address: address, token_id: "1" }
    upstream.respondWith(() => rawResponse(200, JSON.stringify({ result: [nft], cursor: "next" })))
    const list = yield* openConnection(port)
    const head = `GET /all/api/v2.2/nft/${address} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${tokens.one}`
    list.socket.write(bytes(`${head}\r\n\r\n`))
    yield* list.until((read) => read.includes("token_id"))
    upstream.respondWith(() => page)
    expect(yield* request(port, tokens.two, transfers)).toMatchObject({ status: 200 })
  }))

it.scopedLive("a client gets 429 for more lists than limits.maxListsPerClient", () =>
  Effect.gen(function*() {
    const proxy = yield* start
    yield* hang(proxy, tokens.one, `/all${transfers}`, 2)
    const rejected = yield* request(proxy.port, tokens.one, `/all${transfers}`)
    expect([rejected.status, JSON.parse(rejected.text)]).toMatchObject([429, {
      code: "client-concurrency-limited",
      message: expect.stringContaining("limits.maxListsPerClient")
    }])
    expect(yield* request(proxy.port, tokens.one, `/all${transfers}`, "HEAD")).toMatchObject({ status: 200 })
    expect(yield* request(proxy.port, tokens.one, transfers)).toMatchObject({ status: 200 })
    expect(yield* request(proxy.port, tokens.two, `/all${transfers}`)).toMatchObject({ status: 200 })
    proxy.upstream.releaseHeld(page)
    yield* proxy.ended(200, 5)
    expect(yield* request(proxy.port, tokens.one, `/all${transfers}`)).toMatchObject({ status: 200 })
  }))
