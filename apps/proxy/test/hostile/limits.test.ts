/** Clients that are slow, numerous or disconnected: the proxy closes them without effect on other clients. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { openAdmin, sendRequest, testClient } from "../support/proxy.ts"
import { streamStatusPath, transfers } from "./corpus/entry.ts"
import * as Harness from "./harness.ts"
import { bytes, get, type HeldConnection, openConnection, parseResponses, statuses } from "./rawHttp.ts"
import { rawResponse } from "./recordingUpstream.ts"

const { authorized } = Harness

/**
 * Writes after the event loop has read what arrived: a socket whose write fails loses what it has not read, and on a busy machine
 * the timers of the server and of the client are due in the same turn.
 */
const write = ({ socket }: HeldConnection, text: string): Effect.Effect<unknown> =>
  Effect.async((resume) => {
    const turn = setImmediate(() => resume(Effect.sync(() => socket.writable && socket.write(bytes(text)))))
    return Effect.sync(() => clearImmediate(turn))
  })

/** Writes a few bytes repeatedly while the peer accepts them. */
const trickle = (held: HeldConnection, text: string): Effect.Effect<string> =>
  write(held, text).pipe(
    Effect.repeat(Schedule.spaced("20 millis")),
    Effect.raceFirst(held.closed),
    Effect.map(String)
  )

const request = (line: string, ...headers: ReadonlyArray<string>): string =>
  [line, "Host: localhost", ...headers].map((text) => `${text}\r\n`).join("")

/** A request whose body follows. */
const update = (framing: string): string =>
  request(
    `POST ${streamStatusPath} HTTP/1.1`,
    ...[`X-API-Key: ${Harness.token}`, "Content-Type: application/json", framing]
  ) + "\r\n"

it.scopedLive("requests that are not complete in time end their connection", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start()
    const nowhere = `${request("GET /nowhere HTTP/1.1")}\r\n`
    const slow: ReadonlyArray<readonly [first: string, then: string, statuses: ReadonlyArray<number>]> = [
      ["", "\r\n", [408]],
      ["GET /li", "v", [408]],
      [`${request("GET /livez HTTP/1.1")}X: `, "y", [408]],
      [request("GET /livez HTTP/1.1"), "X: y\r\n", [408]],
      [update("Content-Length: 10000"), " ", [408]],
      [update("Transfer-Encoding: chunked"), "1\r\n \r\n", [408]],
      // Already answered: a second response would belong to another request
      [`${request("GET /nowhere HTTP/1.1", "Transfer-Encoding: chunked")}\r\n`, "1\r\n \r\n", [401]],
      [`${nowhere}GET /`, "a", [401, 408]]
    ]
    const read = ([first, then]: typeof slow[number]) =>
      Effect.gen(function*() {
        const held = yield* openConnection(port)
        held.socket.write(bytes(first))
        yield* trickle(held, then)
        const { problem } = parseResponses(held.read())
        return [problem, statuses(held.read())]
      })
    expect(yield* Effect.forEach(slow, read, { concurrency: "unbounded" }))
      .toEqual(slow.map(([, , expected]) => [null, expected]))
    expect(upstream.requests()).toEqual([])
    expect((yield* sendRequest(port, "/livez")).status).toBe(200)
  }))

it.scopedLive("a request with slow headers and an incomplete body gets its response, and ends its connection", () =>
  Effect.gen(function*() {
    const { port } = yield* Harness.start()
    const [start, rest] = [
      update("Content-Length: 10000").slice(0, 20),
      update("Content-Length: 10000").slice(20)
    ]
    // Node looks for late requests at intervals
    const starts = Array.from({ length: 8 }, (_, index) => index * Harness.requestTimeoutMs / 8)
    const read = (delay: number) =>
      Effect.gen(function*() {
        yield* Effect.sleep(delay)
        const held = yield* openConnection(port)
        held.socket.write(bytes(start))
        yield* Effect.sleep(0.75 * Harness.requestTimeoutMs)
        yield* write(held, rest)
        yield* trickle(held, " ")
        return statuses(held.read())
      })
    expect(yield* Effect.forEach(starts, read, { concurrency: "unbounded" })).toEqual(starts.map(() => [408]))
  }))

it.scopedLive("connections without a byte are closed without a response, and are no requests", () =>
  Effect.gen(function*() {
    const { adminPort, ended, lines, port } = yield* Harness.start({ config: { admin: openAdmin } })
    /** Of this process. */
    const rejections = Effect.map(
      sendRequest(adminPort ?? 0, "/metrics"),
      ({ text }) =>
        [...text.matchAll(/^quarry_proxy_requests_total.*status_class="4xx".* (\d+)$/gm)]
          .reduce((sum, [, count]) => sum + Number(count), 0)
    )
    const before = yield* rejections
    const silent = yield* Effect.forEach([1, 2, 3], () => openConnection(port))
    expect(yield* Effect.forEach(silent, ({ closed }) => closed)).toEqual(["", "", ""])
    const started = yield* openConnection(port)
    started.socket.write("G")
    expect(statuses(yield* started.closed)).toEqual([408])
    yield* ended(408, 1)
    expect(lines.filter((line) => line.includes("\"status\":408"))).toHaveLength(1)
    expect(yield* rejections).toBe(before + 1)
  }))

describe("slow bodies of a client", () => {
  const clients = [testClient("one", Harness.token, { scopes: ["write"] }), testClient("two", "other")]
  const requestTimeout = Duration.minutes(5)
  const transfersOfOther = (port: number) =>
    Effect.map(sendRequest(port, transfers, { headers: { "x-api-key": "other" } }), ({ status }) => status)
  const body = "{\"status\":\"paused\"}"
  /** Sends the header of a request whose body follows. */
  const sendHeader = (port: number) =>
    Effect.tap(openConnection(port), ({ socket }) =>
      // The proxy asks for the body when it has processed the header.
      socket.write(update(`Content-Length: ${body.length}\r\nExpect: 100-continue`)))
  const asked = ({ until }: HeldConnection) => until((read) => read.includes(" 100 Continue\r\n"))

  it.scopedLive("do not take the connections of another one with the same address", () =>
    Effect.gen(function*() {
      const { port } = yield* Harness.start({
        config: { clients },
        limits: { requestTimeout, maxConnections: 64 }
      })
      const slow = yield* Effect.forEach(Array.from({ length: 64 }), () => sendHeader(port))
      for (const { closed } of slow.slice(0, 48)) yield* closed
      const served = yield* Effect.forEach([1, 2, 3, 4, 5], () => transfersOfOther(port))
      expect(served).toEqual([200, 200, 200, 200, 200])
    }))

  it.scopedLive("count as its requests until they are complete", () =>
    Effect.gen(function*() {
      const { ended, port, upstream } = yield* Harness.start({
        config: { clients },
        limits: { requestTimeout, maxConcurrentRequests: 4, clientShare: 0.5 }
      })
      const responseOf = ({ responses }: HeldConnection) => Effect.map(responses(1), ([response]) => response)
      const sendTwo = Effect.forEach([1, 2], () => Effect.tap(sendHeader(port), asked))
      const rejected = Effect.gen(function*() {
        const response = yield* responseOf(yield* sendHeader(port))
        expect(response?.status).toBe(429)
        expect(response?.body).toContain("client-concurrency-limited")
      })
      const slow = yield* sendTwo
      yield* rejected
      expect(yield* transfersOfOther(port)).toBe(200)
      expect(upstream.requests()).toHaveLength(1)
      for (const { socket } of slow) socket.write(body)
      const responses = yield* Effect.forEach(slow, responseOf)
      expect(responses.map((response) => response?.status)).toEqual([200, 200])
      for (const { socket } of yield* sendTwo) socket.destroy()
      yield* ended(499, 2)
      yield* sendTwo
      yield* rejected
    }))
})

describe("a client that does not read", () => {
  it.scopedLive("is not assumed while a response waits for an earlier one", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits: { sendIdleTimeout: Duration.millis(20) } })
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      held.socket.write(
        Buffer.concat([authorized("/nowhere"), authorized(transfers), get("/livez", "Connection: close")])
      )
      yield* upstream.waitForRequests(1)
      // An idle connection is closed when the request timeout has passed
      yield* Effect.scoped(Effect.flatMap(openConnection(port), ({ closed }) => closed))
      upstream.releaseHeld(rawResponse(200, "{}"))
      expect(statuses(yield* held.closed)).toEqual([403, 200, 200])
    }))
})

describe("a client that disconnects", () => {
  it.scopedLive("drops the requests queued after its first one", () =>
    Effect.gen(function*() {
      const { ended, port, upstream } = yield* Harness.start({ limits: { maxConcurrentRequests: 20 } })
      upstream.respondWith(() => null)
      for (let times = 1; times <= 3; times++) {
        const held = yield* openConnection(port)
        held.socket.write(Buffer.concat(Array.from({ length: 15 }, () => authorized(transfers))))
        yield* upstream.waitForRequests(times)
        held.socket.destroy()
        yield* ended(499, 15 * times)
      }
      upstream.respondWith(() => rawResponse(200, "{}"))
      expect((yield* sendRequest(port, transfers, { headers: { "x-api-key": Harness.token } })).status).toBe(
        200
      )
    }))
})

it.scopedLive("an Upgrade request is served without an upgrade, and the connection continues", () =>
  Effect.gen(function*() {
    const { port, upstream } = yield* Harness.start()
    const held = yield* openConnection(port)
    const upgrades = [
      ["Upgrade", "websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"],
      ["Upgrade, HTTP2-Settings", "h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"],
      ["keep-alive, Upgrade", "TLS/1.0, h2c, websocket", "X: y"]
    ]
    for (const [index, [connection, protocols, more = ""]] of upgrades.entries()) {
      held.socket.write(get("/nowhere", `Connection: ${connection}`, `Upgrade: ${protocols}`, more))
      yield* held.responses(index + 1)
    }
    held.socket.write(get("/livez", "Connection: close"))
    expect(statuses(yield* held.closed)).toEqual([401, 401, 401, 200])
    expect(held.read()).not.toMatch(/ 101 |upgrade:/i)
    expect(upstream.requests()).toEqual([])
  }))
