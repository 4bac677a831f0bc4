/** Clients that pipeline more requests than they read responses. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { maxPendingResponses, maxWaitingRequests } from "../../src/server/Connections.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { bytes, header, openConnection, parseResponses } from "../hostile/rawHttp.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { sendRequest } from "../support/proxy.ts"

const get = (target: string, ...headers: ReadonlyArray<string>): Buffer =>
  bytes(
    `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`
  )

const authenticated = `X-API-Key: ${Harness.token}`

const repeat = (count: number, request: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => request))

const limits = { requestTimeout: Duration.seconds(30) }

/** Sends requests of another client, one after another. Returns their statuses. */
const statusesOfOtherClient = (port: number) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: 50 }),
      () => sendRequest(port, transfers, { headers: { "x-api-key": Harness.token } })
    ),
    (responses) => [...new Set(responses.map(({ status }) => status))]
  )

describe("a connection that pipelines requests and reads nothing", () => {
  for (
    const [name, target, count] of [
      ["700 requests for a page", "/docs", 700],
      ["20,000 requests without a token", "/api/v2.2/wallets/a/chains", 20_000]
    ] as const
  ) {
    it.scopedLive(`does not affect other clients: ${name}`, () =>
      Effect.gen(function*() {
        const { port } = yield* Harness.start({ limits })
        const held = yield* openConnection(port)
        held.socket.pause()
        held.socket.write(repeat(count, get(target)))
        expect(yield* statusesOfOtherClient(port)).toEqual([200])
      }))
  }

  it.scopedLive("has a limited number of requests in progress", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits })
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      held.socket.write(repeat(100, get(transfers, authenticated)))
      yield* upstream.waitForRequests(maxPendingResponses)
      // A round trip on another connection: by now the proxy has read all requests that it reads.
      yield* sendRequest(port, "/livez")
      expect(upstream.requests()).toHaveLength(maxPendingResponses)
      upstream.respondWith(() => rawResponse(200, "{}"))
      upstream.releaseHeld(rawResponse(200, "{}"))
      yield* held.until((read) => parseResponses(read).responses.length === 100)
      expect(upstream.requests()).toHaveLength(100)
    }))

  it.scopedLive("is closed instead of others when too many requests wait on all connections", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits })
      upstream.respondWith(() => null)
      const connections = yield* Effect.forEach(Array.from({ length: 16 }), () => openConnection(port))
      // The other responses wait for the first one. All requests fit into one chunk that Node reads.
      const perConnection = maxPendingResponses + maxWaitingRequests / connections.length
      const requests = Buffer.concat([get(transfers, authenticated), repeat(perConnection - 1, get("/a"))])
      for (const { socket } of connections) socket.write(requests)
      yield* upstream.waitForRequests(connections.length)
      const other = yield* openConnection(port)
      const count = maxPendingResponses + 2
      other.socket.write(Buffer.concat([get(transfers, authenticated), repeat(count - 1, get("/livez"))]))
      yield* Effect.raceAll(connections.map(({ closed }) => closed))
      yield* upstream.waitForRequests(connections.length + 1)
      upstream.releaseHeld(rawResponse(200, "{}"))
      const read = yield* other.until((read) => parseResponses(read).responses.length === count)
      expect(new Set(parseResponses(read).responses.map(({ status }) => status))).toEqual(new Set([200]))
    }))
})

describe("pipelined updates", () => {
  const update = (status: string): Buffer => {
    const body = JSON.stringify({ status })
    return bytes(
      `POST /streams/evm/0a4d2a0a-9a3f-4a53-9a59-4f6e3f0a5a11/status HTTP/1.1\r\nHost: a\r\n${authenticated}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    )
  }

  it.scopedLive("are applied one after another, in the order of their requests, with the reads between them", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits })
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      const read = get(transfers, authenticated)
      held.socket.write(Buffer.concat([read, read, update("paused"), update("active"), read, read]))
      // The requests that are in flight at the same time
      for (const [count, first] of [[2, "GET"], [1, "paused"], [1, "active"], [2, "GET"]] as const) {
        const before = upstream.requests().length
        yield* upstream.waitForRequests(before + count)
        // A round trip on another connection: by now the proxy has sent all requests that it sends
        yield* sendRequest(port, "/livez")
        const inFlight = upstream.requests().slice(before)
        expect(inFlight).toHaveLength(count)
        expect(inFlight[0]).toContain(first)
        upstream.releaseHeld(rawResponse(200, "{}"))
      }
      const { responses } = parseResponses(
        yield* held.until((read) => parseResponses(read).responses.length === 6)
      )
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    }))
})

describe("a pipelined request that waits", () => {
  it.scopedLive("is served with its body after earlier responses are sent", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits })
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      const body = `{"status":"paused"}`
      const post = bytes(
        `POST /streams/evm/0a4d2a0a-9a3f-4a53-9a59-4f6e3f0a5a11/status HTTP/1.1\r\nHost: localhost\r\n` +
          `${authenticated}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
      )
      held.socket.write(Buffer.concat([repeat(maxPendingResponses, get(transfers, authenticated)), post]))
      yield* upstream.waitForRequests(maxPendingResponses)
      upstream.respondWith(() => rawResponse(200, "{}"))
      upstream.releaseHeld(rawResponse(200, "{}"))
      held.socket.write(bytes(body))
      held.socket.write(get("/livez", "Connection: close"))
      const { problem, responses } = parseResponses(yield* held.closed)
      expect(problem).toBe(null)
      expect(responses.map(({ status }) => status))
        .toEqual([...Array.from({ length: maxPendingResponses + 1 }, () => 200), 200])
      expect(upstream.requests().at(-1)).toMatch(/\r\n\r\n\{"status":"paused"\}$/)
    }))

  it.scopedLive("is served before the connection is closed because of an ambiguous request", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* Harness.start({ limits })
      upstream.respondWith(() => null)
      const held = yield* openConnection(port)
      held.socket.write(Buffer.concat([
        get(transfers, authenticated),
        repeat(maxPendingResponses - 1, get("/livez")),
        get("/livez", "Host: b"),
        get("/livez")
      ]))
      yield* upstream.waitForRequests(1)
      upstream.releaseHeld(rawResponse(200, "{}"))
      const { problem, responses } = parseResponses(yield* held.closed)
      expect(problem).toBe(null)
      expect(responses.map(({ status }) => status))
        .toEqual([...Array.from({ length: maxPendingResponses }, () => 200), 400, 200])
      expect(responses.map((response) => header(response, "connection")))
        .toEqual([...Array.from({ length: maxPendingResponses + 1 }, () => "keep-alive"), "close"])
    }))
})
