/** What networks do to answers, over real sockets and with every client of the platform. */
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type * as Http from "node:http"
import { tokenPrice, updateStreamStatus } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"

const text = JSON.stringify(tokenPrice.document)

const clientsAt = (baseUrl: string, attempts = 1) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (client) => TestClients.clientsOver(client, { baseUrl, retry: TestClients.immediateRetries(attempts) })
  )

/** Ends the connection as a crash does. */
const reset = (response: Http.ServerResponse) => response.socket?.resetAndDestroy()

describe.each(Server.clients)("with %s", (_, layer) => {
  const faults: ReadonlyArray<readonly [name: string, handler: Server.Handler]> = [
    ["a reset before the answer", reset],
    ["a connection closed before the answer", (response) => response.socket?.end()],
    ["a reset between head and body", (response) => {
      response.writeHead(200, { "content-length": String(text.length) })
      response.flushHeaders()
      setImmediate(() => reset(response))
    }],
    ["a reset in the middle of a body of known length", (response) => {
      response.writeHead(200, { "content-length": String(text.length) })
      response.write(text.slice(0, 5), () => reset(response))
    }],
    ["a reset in the middle of a body of unknown length", (response) => {
      response.writeHead(200)
      response.write(text.slice(0, 5), () => reset(response))
    }],
    ["a body shorter than its length", (response) => {
      response.writeHead(200, { "content-length": String(text.length) })
      response.write(text.slice(0, 5), () => response.socket?.end())
    }],
    ["chunks without their end", (response) => {
      response.writeHead(200)
      response.write(text, () => response.socket?.end())
    }],
    ["what is not HTTP", (response) => response.socket?.end("hello\r\n\r\n")]
  ]

  it.scoped.each(faults)(
    "%s is Unreachable, may have arrived, and is tried again",
    ([, handler]) =>
      Effect.gen(function*() {
        const server = yield* Server.make(handler)
        const read = yield* failureOf(tokenPrice.call(yield* clientsAt(server.url, 3)))
        expect(read).toMatchObject({ _tag: "NetworkError", sent: true, mayHaveBeenApplied: false })
        expect(server.received).toHaveLength(3)
        const change = yield* failureOf(updateStreamStatus.call(yield* clientsAt(server.url, 3)))
        expect(change).toMatchObject({ _tag: "NetworkError", sent: true, mayHaveBeenApplied: true })
        expect(server.received).toHaveLength(4)
      }).pipe(Effect.provide(layer))
  )

  it.scoped("an answer after a fault is read", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response, number) =>
        number < 3 ? reset(response) : response.end(text)
      )
      expect(yield* tokenPrice.call(yield* clientsAt(server.url, 3))).toMatchObject({ usdPrice: 1.5 })
    }).pipe(Effect.provide(layer)))

  it.effect("a port that nobody listens at is Unreachable and was not sent", () =>
    Effect.gen(function*() {
      const clients = yield* clientsAt(`http://127.0.0.1:${yield* Server.freePort}`, 2)
      const facts = { _tag: "NetworkError", reason: "ECONNREFUSED", sent: false, mayHaveBeenApplied: false }
      expect(yield* failureOf(tokenPrice.call(clients))).toMatchObject(facts)
      expect(yield* failureOf(updateStreamStatus.call(clients))).toMatchObject(facts)
    }).pipe(Effect.provide(layer)))

  const hangs: ReadonlyArray<readonly [name: string, handler: Server.Handler]> = [
    ["before an answer", () => {}],
    ["between head and body", (response) => {
      response.writeHead(200, { "content-length": "100" })
      response.flushHeaders()
    }],
    ["in the middle of a body of known length", (response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write(text)
    }],
    ["in the middle of a body of unknown length", (response) => {
      response.writeHead(200)
      response.write(text)
    }]
  ]

  it.scoped.each(hangs)(
    "silence %s is given up after the attempt's time, and the connection is closed",
    ([, handler]) =>
      Effect.gen(function*() {
        const server = yield* Server.make(handler)
        const fiber = yield* Effect.fork(failureOf(tokenPrice.call(yield* clientsAt(server.url))))
        yield* server.reached
        yield* TestClock.adjust("10 seconds")
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "TimeoutError", scope: "attempt" })
        yield* server.closed
        expect(server.received).toHaveLength(1)
      }).pipe(Effect.provide(layer))
  )

  it.scoped("an interrupted call closes its connection", () =>
    Effect.gen(function*() {
      const server = yield* Server.make(() => {})
      const fiber = yield* Effect.fork(tokenPrice.call(yield* clientsAt(server.url, 3)))
      yield* server.reached
      yield* Fiber.interrupt(fiber)
      yield* server.closed
      expect(server.received).toHaveLength(1)
    }).pipe(Effect.provide(layer)))
})
