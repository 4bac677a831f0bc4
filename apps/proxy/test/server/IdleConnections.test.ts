/** Connections of one address that serve no request of a client, and clients that ignore rejections. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Net from "node:net"
import { type Config, defaults } from "../../src/config/Config.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { get, type HeldConnection, openConnection } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { openAdmin, sendRequest, testClient } from "../support/proxy.ts"

const other = "token-of-another-client"

/** Four connections of one address may be idle or unauthenticated. */
const start = (
  config: Partial<Config> = {},
  limits: Partial<Config["limits"]> = {},
  options: Harness.HarnessOptions = {}
) =>
  Effect.gen(function*() {
    const clients = [testClient("one", Harness.token), testClient("two", other)]
    const proxy = yield* Harness.start({
      ...options,
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

/** Opens connections, each of which has had a response. */
const openUsed = (port: number, count: number, token = Harness.token) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => Effect.tap(openConnection(port), (connection) => answered(connection, 1, token))
  )

describe("an address with too many connections that serve no request of a client", () => {
  it.scopedLive("loses the oldest without a client, before those of its clients", () =>
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
      for (const { closed } of silent.slice(0, 18)) yield* closed
      yield* answered(client, 2)
      yield* answered(rejected, 2)
      const dropped = "quarry_proxy_connections_dropped_total{reason=\"max-idle-connections\"}"
      expect(yield* metric(dropped)).toBe("19")
    }))

  it.scopedLive("keeps the connection of a client whose latest response was an error of the upstream", () =>
    Effect.gen(function*() {
      const { open, port, upstream } = yield* start()
      upstream.respondWith(() => "")
      const client = yield* openConnection(port)
      expect((yield* answered(client, 1))[0]?.status).toBe(502)
      for (const { closed } of (yield* open(20)).slice(0, 17)) yield* closed
      upstream.respondWith(() => rawResponse(200, "{}"))
      expect((yield* answered(client, 2))[1]?.status).toBe(200)
    }))

  it.scopedLive("loses the one that has been idle longest", () =>
    Effect.gen(function*() {
      let now = 0
      const { port } = yield* start({}, {}, { clock: () => now })
      const [first, second, ...others] = yield* openUsed(port, 4)
      if (first === undefined || second === undefined) return expect.unreachable()
      now = 1
      yield* answered(first, 2)
      now = 2
      yield* openUsed(port, 1)
      yield* second.closed
      yield* Effect.forEach([first, ...others], (connection, index) =>
        answered(connection, index === 0 ? 3 : 2))
    }))

  it.scopedLive("loses those first that were idle for longer than announced", () =>
    Effect.gen(function*() {
      let now = 0
      const { open, port } = yield* start(
        { shutdown: { delay: Duration.seconds(5), timeout: Duration.zero } },
        {},
        { clock: () => now }
      )
      const [small] = yield* openUsed(port, 1)
      if (small === undefined) return expect.unreachable()
      expect(small.read()).toContain("keep-alive: timeout=5\r\n")
      now = 100
      const [large, ...others] = yield* openUsed(port, 3, other)
      // A request may still be in transit on each of them: the client with the most loses one.
      now = 6000
      const added = yield* openUsed(port, 1, other)
      yield* large?.closed ?? Effect.void
      now = 6001
      const silent = yield* open(1)
      yield* small.closed
      yield* Effect.forEach([...others, ...added], (connection) => answered(connection, 2, other))
      yield* Effect.forEach(silent, (connection) => answered(connection, 1))
    }))

  it.scopedLive("loses none on which a part of a request has arrived, if another is unused", () =>
    Effect.gen(function*() {
      let now = 0
      const { port } = yield* start(
        { shutdown: { delay: Duration.seconds(5), timeout: Duration.zero } },
        {},
        { clock: () => now }
      )
      const [first, second, third] = yield* openUsed(port, 4)
      if (first === undefined || second === undefined || third === undefined) return expect.unreachable()
      const request = Harness.authorized(transfers)
      first.socket.write(request.subarray(0, 10))
      // What is written later on another connection is received later.
      yield* answered(third, 2)
      yield* openUsed(port, 1)
      yield* second.closed
      now = 6001
      yield* openUsed(port, 1)
      yield* third.closed
      first.socket.write(request.subarray(10))
      yield* first.responses(2)
    }))

  it.scopedLive("gives new ones the time for their first request", () =>
    Effect.gen(function*() {
      const { open, port } = yield* start()
      const [first, second, ...others] = yield* openUsed(port, 4)
      const opened = yield* open(2)
      yield* first?.closed ?? Effect.void
      yield* second?.closed ?? Effect.void
      yield* Effect.forEach(opened, (connection) => answered(connection, 1))
      yield* Effect.forEach(others, (connection) => answered(connection, 2))
    }))

  it.scopedLive("loses none with a request that has arrived", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* start()
      const [first, second] = yield* openUsed(port, 4)
      if (first === undefined || second === undefined) return expect.unreachable()
      upstream.respondWith(() => null)
      yield* Effect.acquireRelease(
        // The proxy, in the same thread, receives all three in the same turn of the event loop.
        Effect.sync(() => {
          const sockets = [Net.connect({ host: "127.0.0.1", port }), Net.connect({ host: "127.0.0.1", port })]
          process.nextTick(() => first.socket.write(Harness.authorized(transfers)))
          return sockets
        }),
        (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
      )
      yield* second.closed
      upstream.releaseHeld(rawResponse(200, "{}"))
      yield* first.responses(2)
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
