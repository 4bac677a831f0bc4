/** Clients that are slow, numerous or disconnected: the proxy closes them without effect on other clients. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { sendRequest } from "../support/proxy.ts"
import { transfers } from "./corpus/entry.ts"
import * as Harness from "./harness.ts"
import { bytes, exchange, type HeldConnection, openConnection, parseResponses } from "./rawHttp.ts"
import { rawResponse } from "./recordingUpstream.ts"

const get = (target: string, ...headers: ReadonlyArray<string>): Buffer =>
  bytes(
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${Harness.token}\r\n${
      headers.map((line) => `${line}\r\n`).join("")
    }\r\n`
  )

const statuses = (stream: string): ReadonlyArray<number> =>
  parseResponses(stream).responses.map(({ status }) => status)

/** Writes a few bytes repeatedly while the peer accepts them. */
const trickle = ({ closed, socket }: HeldConnection, text: string): Effect.Effect<string> =>
  Effect.sync(() => socket.writable && socket.write(bytes(text))).pipe(
    Effect.repeat(Schedule.spaced("20 millis")),
    Effect.raceFirst(closed),
    Effect.map(String)
  )

/** Waits until an idle connection is closed: by then the request timeout has passed. */
const waitForRequestTimeout = (port: number) =>
  Effect.scoped(Effect.flatMap(openConnection(port), ({ closed }) => closed))

describe("a request that is not complete in time", () => {
  const slow: ReadonlyArray<
    readonly [name: string, first: string, then: string, statuses: ReadonlyArray<number>]
  > = [
    ["nothing", "", "", [408]],
    ["a request line", "GET /li", "v", [408]],
    ["headers", "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ", "y", [408]],
    ["header after header", "GET /livez HTTP/1.1\r\nHost: localhost\r\n", "X: y\r\n", [408]],
    ["empty lines", "", "\r\n", [408]],
    [
      "a body",
      `POST /streams/evm/a/status HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${Harness.token}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n`,
      " ",
      [408]
    ],
    [
      "a body of chunks",
      `POST /streams/evm/a/status HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${Harness.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      "1\r\n \r\n",
      [408]
    ],
    // Already answered: a second response would belong to another request
    [
      "a body that no handler reads",
      "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\n \r\n",
      [404]
    ],
    ["a second request", "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\nGET /", "a", [404, 408]]
  ]

  for (const [name, first, then, expected] of slow) {
    it.scopedLive(`closes the connection: ${name}`, () =>
      Effect.gen(function*() {
        const { port, upstream } = yield* Harness.start()
        const held = yield* openConnection(port)
        held.socket.write(bytes(first))
        yield* trickle(held, then)
        expect(statuses(held.read())).toEqual(expected)
        expect(parseResponses(held.read()).problem).toBe(null)
        expect(upstream.requests()).toEqual([])
        expect((yield* sendRequest(port, "/livez")).status).toBe(200)
      }))
  }
})

describe("a client that does not read", () => {
  it.scopedLive("is not assumed while a response waits for an earlier one", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits: { sendIdleTimeout: Duration.millis(20) } })
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      held.socket.write(Buffer.concat([get("/nowhere"), get(transfers), get("/livez", "Connection: close")]))
      yield* upstream.waitForRequests(1)
      yield* waitForRequestTimeout(port)
      upstream.releaseHeld(rawResponse(200, "{}"))
      expect(statuses(yield* held.closed)).toEqual([404, 200, 200])
    }))
})

describe("a client that disconnects", () => {
  it.scopedLive("drops the requests queued after its first one", () =>
    Effect.gen(function*() {
      const { ended, port, upstream } = yield* Harness.start({ limits: { maxConcurrentRequests: 20 } })
      upstream.respondWith(() => null)
      for (let times = 1; times <= 3; times++) {
        const held = yield* openConnection(port)
        held.socket.write(Buffer.concat(Array.from({ length: 15 }, () => get(transfers))))
        yield* upstream.waitForRequests(times)
        held.socket.destroy()
        yield* ended(499, 15 * times)
      }
      upstream.respondWith(() => rawResponse(200, "{}"))
      expect((yield* sendRequest(port, transfers, { headers: { "x-api-key": Harness.token } })).status).toBe(
        200
      )
    }))

  it.scopedLive("is not a failure, at any time", () =>
    Effect.gen(function*() {
      const { lines, port, upstream } = yield* Harness.start()
      upstream.respondWith(() => null)
      const whole = get(transfers).toString("latin1")
      for (let length = 0; length <= whole.length; length += 7) {
        const held = yield* openConnection(port)
        held.socket.write(bytes(whole.slice(0, length)))
        held.socket.resetAndDestroy()
      }
      expect((yield* sendRequest(port, "/livez")).status).toBe(200)
      expect(lines.filter((line) => line.includes(`"level":"error"`))).toEqual([])
    }))

  it.scopedLive("is disconnected after a half-close", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start()
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      held.socket.end(get(transfers))
      expect(parseResponses(yield* held.closed).responses).toEqual([])
      expect((yield* sendRequest(port, "/livez")).status).toBe(200)
    }))
})

describe("overload", () => {
  it.scopedLive("matches responses to requests if an invalid request follows valid ones", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start()
      const good = get("/nowhere")
      for (
        const bad of [
          "\x00",
          "GET / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n",
          "GET /../.. HTTP/9.9\r\n\r\n"
        ]
      ) {
        for (const count of [1, 5, 50]) {
          const { problem, responses } = parseResponses(
            yield* exchange(port, Buffer.concat([...Array.from({ length: count }, () => good), bytes(bad)]))
          )
          expect(problem).toBe(null)
          expect(responses.slice(0, count).every(({ status }) => status === 404)).toBe(true)
          expect(responses.slice(count).map(({ status }) => status)).toSatisfy((
            others: ReadonlyArray<number>
          ) => others.length === 0 || (others.length === 1 && others[0] === 400))
        }
      }
      expect(upstream.requests()).toEqual([])
    }))
})

describe("an Upgrade request", () => {
  const headerSets: ReadonlyArray<ReadonlyArray<string>> = [
    [
      "Connection: keep-alive, Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13"
    ],
    ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"],
    ["Connection: Upgrade", "Upgrade: TLS/1.0, h2c, websocket"]
  ]

  for (const headers of headerSets) {
    it.scopedLive(`is ignored, and the connection continues: ${headers[1]}`, () =>
      Effect.gen(function*() {
        const { port, upstream } = yield* Harness.start()
        const held = yield* openConnection(port)
        held.socket.write(get("/nowhere", ...headers))
        yield* held.until((read) => parseResponses(read).responses.length === 1)
        held.socket.write(get("/livez", "Connection: close"))
        expect(statuses(yield* held.closed)).toEqual([404, 200])
        expect(held.read()).not.toMatch(/ 101 |upgrade:/i)
        expect(upstream.requests()).toEqual([])
      }))
  }
})
