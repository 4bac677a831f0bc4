/** Connections of one address that serve no accepted request, and clients that ignore rejections. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Config, defaults } from "../../src/config/Config.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { get, type HeldConnection, openConnection } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { openAdmin, sendRequest, testClient } from "../support/proxy.ts"

const other = "token-of-another-client"

/** Four connections of one address may be idle or unauthenticated. */
const start = (config: Partial<Config> = {}, limits: Partial<Config["limits"]> = {}) =>
  Effect.gen(function*() {
    const clients = [testClient("one", Harness.token), testClient("two", other)]
    const proxy = yield* Harness.start({
      config: { admin: openAdmin, clients, ...config },
      limits: {
        maxConnections: 16,
        idleConnectionShare: 0.25,
        requestTimeout: Duration.seconds(30),
        ...limits
      }
    })
    proxy.upstream.respondWith(() => rawResponse(200, "{}"))
    const metric = (name: string) =>
      Effect.map(
        sendRequest(proxy.adminPort ?? 0, "/metrics"),
        ({ text }) => text.split("\n").find((line) => line.startsWith(name))?.split(" ").at(-1)
      )
    const open = (count: number, address?: string) =>
      Effect.forEach(Array.from({ length: count }), () => openConnection(proxy.port, address))
    return { ...proxy, metric, open }
  })

/** Sends a request on a connection, and waits until it has had `count` responses. */
const answered = (connection: HeldConnection, count: number, token = Harness.token) => {
  connection.socket.write(get(transfers, `X-API-Key: ${token}`))
  return connection.responses(count)
}

describe("an address with too many connections that serve no accepted request", () => {
  it.scopedLive("loses the oldest of them, before those of its clients", () =>
    Effect.gen(function*() {
      const { metric, open, port } = yield* start()
      const client = yield* openConnection(port)
      yield* answered(client, 1)
      const unauthenticated = yield* openConnection(port)
      expect((yield* answered(unauthenticated, 1, "unknown"))[0]?.status).toBe(401)
      const rejected = yield* openConnection(port)
      rejected.socket.write(get("/nowhere", `X-API-Key: ${Harness.token}`))
      expect((yield* rejected.responses(1))[0]?.status).toBe(403)
      const silent = yield* open(20)
      yield* unauthenticated.closed
      yield* rejected.closed
      for (const { closed } of silent.slice(0, 17)) yield* closed
      yield* answered(client, 2)
      const dropped = "quarry_proxy_connections_dropped_total{reason=\"max-idle-connections\"}"
      expect(yield* metric(dropped)).toBe("19")
    }))

  it.scopedLive("takes no connection from a client of another address", () =>
    Effect.gen(function*() {
      const { open } = yield* start()
      const others = yield* open(4, "127.0.0.2")
      yield* Effect.forEach(others, (connection) => answered(connection, 1))
      for (const { closed } of (yield* open(10)).slice(0, 6)) yield* closed
      yield* Effect.forEach(others, (connection) => answered(connection, 2))
    }))

  it.scopedLive("takes none from the client with fewer of them, in turn with requests of both", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const first = yield* openConnection(port)
      yield* answered(first, 1)
      const others = yield* Effect.forEach(
        Array.from({ length: 9 }),
        () => Effect.tap(openConnection(port), (connection) => answered(connection, 1, other))
      )
      for (const { closed } of others.slice(0, 6)) yield* closed
      yield* answered(first, 2)
    }))

  it.scopedLive("keeps connections whose requests are in flight, and those of a trusted proxy", () =>
    Effect.gen(function*() {
      const busy = yield* start()
      const trusted = yield* start({ listen: { ...defaults.listen, port: 0, trustedProxies: ["127.0.0.1"] } })
      busy.upstream.respondWith(() => null)
      const inFlight = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => index + 1),
        (count) =>
          Effect.tap(openConnection(busy.port), ({ socket }) => {
            socket.write(Harness.authorized(transfers))
            return busy.upstream.waitForRequests(count)
          })
      )
      busy.upstream.releaseHeld(rawResponse(200, "{}"))
      yield* Effect.forEach(inFlight, ({ responses }) => responses(1))
      yield* Effect.forEach(yield* trusted.open(10), (connection) => answered(connection, 1))
    }))
})

it.scopedLive("a client that ignores 401 gets delayed responses, which are visible in the metrics", () =>
  Effect.gen(function*() {
    const { metric, port } = yield* start({}, { maxRejectionRate: 1 })
    const connection = yield* openConnection(port)
    connection.socket.write(Buffer.concat(Array.from({ length: 4 }, () => get(transfers))))
    yield* connection.responses(2)
    expect(yield* metric("quarry_proxy_delayed_responses")).toBe("2")
    const headers = { "x-api-key": Harness.token }
    expect((yield* sendRequest(port, transfers, { headers })).status).toBe(200)
    connection.socket.destroy()
    yield* Effect.repeat(metric("quarry_proxy_delayed_responses"), { until: (count) => count === "0" })
  }))
