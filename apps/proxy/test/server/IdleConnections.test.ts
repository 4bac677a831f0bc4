/** Connections of one address that serve no accepted request, and clients that ignore rejections. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { defaults } from "../../src/config/Config.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { bytes, type HeldConnection, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { openAdmin, sendRequest, testClient } from "../support/proxy.ts"

/** Four connections of one address may be idle or unauthenticated. */
const limits = { maxConnections: 16, idleConnectionShare: 0.25, requestTimeout: Duration.seconds(30) }

const get = (token: string): Buffer =>
  bytes(`GET ${transfers} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${token}\r\n\r\n`)

/** Sends a request on a connection, and waits until it has had `count` responses. */
const answered = (connection: HeldConnection, count: number, token = Harness.token) => {
  connection.socket.write(get(token))
  return connection.until((read) => parseResponses(read).responses.length === count)
}

const metric = (port: number | null, name: string) =>
  Effect.map(
    sendRequest(port ?? 0, "/metrics"),
    ({ text }) => text.split("\n").find((line) => line.startsWith(name))?.split(" ").at(-1)
  )

describe("an address with too many connections that serve no accepted request", () => {
  it.scopedLive("loses the oldest of them, before those of its clients", () =>
    Effect.gen(function*() {
      const { adminPort, port, upstream } = yield* Harness.start({ config: { admin: openAdmin }, limits })
      upstream.respondWith(() => rawResponse(200, "{}"))
      const client = yield* openConnection(port)
      yield* answered(client, 1)
      const rejected = yield* openConnection(port)
      rejected.socket.write(get("unknown"))
      yield* rejected.until((read) => parseResponses(read).responses[0]?.status === 401)
      const silent = yield* Effect.forEach(Array.from({ length: 20 }), () => openConnection(port))
      yield* rejected.closed
      for (const { closed } of silent.slice(0, 17)) yield* closed
      yield* answered(client, 2)
      expect(
        yield* metric(adminPort, "quarry_proxy_connections_dropped_total{reason=\"max-idle-connections\"}")
      ).toBe(
        "18"
      )
    }))

  it.scopedLive("takes no connection from a client of another address", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits })
      upstream.respondWith(() => rawResponse(200, "{}"))
      const other = yield* Effect.forEach(Array.from({ length: 4 }), () => openConnection(port, "127.0.0.2"))
      yield* Effect.forEach(other, (connection) => answered(connection, 1))
      const silent = yield* Effect.forEach(Array.from({ length: 10 }), () => openConnection(port))
      for (const { closed } of silent.slice(0, 6)) yield* closed
      yield* Effect.forEach(other, (connection) => answered(connection, 2))
    }))

  it.scopedLive("takes none from the client with fewer of them, in turn with requests of both", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({
        config: { clients: [testClient("one", Harness.token), testClient("two", "token-of-another-client")] },
        limits
      })
      upstream.respondWith(() => rawResponse(200, "{}"))
      const first = yield* openConnection(port)
      yield* answered(first, 1)
      const others = yield* Effect.forEach(
        Array.from({ length: 9 }),
        () =>
          Effect.tap(openConnection(port), (connection) => answered(connection, 1, "token-of-another-client"))
      )
      for (const { closed } of others.slice(0, 6)) yield* closed
      yield* answered(first, 2)
    }))

  it.scopedLive("keeps connections whose requests are in flight, and those of a trusted proxy", () =>
    Effect.gen(function*() {
      const busy = yield* Harness.start({ limits })
      const trusted = yield* Harness.start({
        config: { listen: { ...defaults.listen, port: 0, trustedProxies: ["127.0.0.1"] } },
        limits
      })
      for (const { upstream } of [busy, trusted]) upstream.respondWith(() => null)
      const inFlight = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => index + 1),
        (count) =>
          Effect.tap(openConnection(busy.port), ({ socket }) => {
            socket.write(get(Harness.token))
            return busy.upstream.waitForRequests(count)
          })
      )
      busy.upstream.releaseHeld(rawResponse(200, "{}"))
      yield* Effect.forEach(
        inFlight,
        ({ until }) => until((read) => parseResponses(read).responses[0]?.status === 200)
      )
      const idle = yield* Effect.forEach(Array.from({ length: 10 }), () => openConnection(trusted.port))
      for (const { socket } of idle) socket.write(get(Harness.token))
      yield* trusted.upstream.waitForRequests(10)
    }))
})

it.scopedLive("a client that ignores 401 gets delayed responses, which are visible in the metrics", () =>
  Effect.gen(function*() {
    const { adminPort, port, upstream } = yield* Harness.start({
      config: { admin: openAdmin },
      limits: { ...limits, maxRejectionRate: 1 }
    })
    upstream.respondWith(() => rawResponse(200, "{}"))
    const connection = yield* openConnection(port)
    connection.socket.write(Buffer.concat(Array.from({ length: 4 }, () => get("unknown"))))
    yield* connection.until((read) => parseResponses(read).responses.length === 2)
    expect(yield* metric(adminPort, "quarry_proxy_delayed_responses")).toBe("2")
    const headers = { "x-api-key": Harness.token }
    expect((yield* sendRequest(port, transfers, { headers })).status).toBe(200)
    connection.socket.destroy()
    yield* Effect.repeat(metric(adminPort, "quarry_proxy_delayed_responses"), {
      until: (count) => count === "0"
    })
  }))
