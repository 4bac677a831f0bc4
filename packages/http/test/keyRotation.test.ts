/** API keys that are replaced while calls are made, over real sockets. */
import * as CallClient from "@blockquarry/http/CallClient"
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import type * as Http from "node:http"
import { until } from "./faults/support/Wait.ts"
import { fetchPrice, indices, minimalOptions } from "./support/PriceCalls.ts"
import * as Server from "./support/Server.ts"
import * as TestClients from "./support/TestClients.ts"

const price = JSON.stringify({ usdPrice: 1.5 })

const keyOf = ({ headers }: Server.Server["received"][number]) => String(headers["x-api-key"])

describe.each(Server.clients)("with %s", (_, layer) => {
  it.scopedLive("no call fails while keys are replaced and revoked, and none is sent after its replacement was read", () =>
    Effect.gen(function*() {
      const rounds = 8
      let current = 0
      /** What has happened: requests that arrived with a key, and keys that were read. */
      const events: Array<readonly [event: "received" | "read", key: string]> = []
      let sent = 0
      const server = yield* Server.make((response, number) => {
        const request = server.received[number - 1]
        if (request === undefined) throw new Error("expected a request")
        events.push(["received", keyOf(request)])
        const status = keyOf(request) !== `key-${current}` ? 401 : number % 7 === 0 ? 503 : 200
        response.writeHead(status, { "retry-after": "0.01" }).end(price)
      })
      const apiKey = Effect.gen(function*() {
        const key = `key-${current}`
        // Then no request is on its way, so that the order of events is that of sending.
        yield* until("the requests that were sent to arrive", () => server.received.length === sent)
        events.push(["read", key])
        return Redacted.make(key)
      })
      const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
        apiKey,
        baseUrl: server.url,
        rateLimit: { limit: 2000, window: "1 second", burst: 100 },
        concurrency: { limit: 8 },
        retry: { ...TestClients.immediateRetries(20), budget: { capacity: 1e6, refill: 1 } }
      })
      const observed = Effect.provideService(CallClient.CurrentSendObserver, (change) => {
        sent += change
      })
      const all = yield* Effect.fork(
        Effect.forEach(indices(600), (number) => fetchPrice(clients, number), { concurrency: 24 }).pipe(
          observed
        )
      )
      for (let round = 1; round <= rounds; round += 1) {
        yield* until("calls with the last key", () => server.received.length >= round * 60)
        current = round
      }
      expect(yield* Fiber.join(all)).toHaveLength(600)
      const reads = events.flatMap(([event, key], index) => event === "read" ? [{ key, index }] : [])
      expect(new Set(reads.map(({ key }) => key)).size).toBe(rounds + 1)
      let inUse = "key-0"
      for (const [event, key] of events) {
        if (event === "read") inUse = key
        else expect(key).toBe(inUse)
      }
    }).pipe(Effect.provide(Layer.merge(layer, Logger.minimumLogLevel(LogLevel.None)))))
})

it.scoped("a request that waits for a connection is not sent with a key that was replaced", () =>
  Effect.gen(function*() {
    const held: Array<Http.ServerResponse> = []
    const server = yield* Server.make((response, number) =>
      number === 1 ? void held.push(response) : void response.end(price)
    )
    let sent = 0
    let isRead = false
    let key = "old"
    const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
      ...minimalOptions,
      apiKey: Effect.sync(() => {
        isRead = key === "new"
        return Redacted.make(key)
      }),
      baseUrl: server.url
    })
    const call = (number: number) =>
      Effect.fork(fetchPrice(clients, number)).pipe(
        Effect.provideService(CallClient.CurrentSendObserver, (change) => {
          sent += change
        })
      )
    const calls = [yield* call(1), yield* call(2)]
    yield* until("both requests", () => sent === 2 && held.length === 1)
    key = "new"
    yield* TestClock.adjust("5 minutes")
    calls.push(yield* call(3))
    yield* until("the new key", () => isRead)
    held[0]?.end(price)
    yield* Fiber.joinAll(calls)
    expect(server.received.map(keyOf)).toEqual(["old", "new", "new"])
  }).pipe(Effect.provide(UndiciTransport.layerWithOptions({ connections: 1 }))))
