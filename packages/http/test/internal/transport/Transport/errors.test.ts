/** Tests network failures over real sockets, with every client of the platform. */
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

/** Resets the connection, as after a crash. */
const reset = (response: Http.ServerResponse) => response.socket?.resetAndDestroy()

describe.each(Server.clients)("with %s", (_, layer) => {
  const failures: ReadonlyArray<readonly [name: string, handler: Server.Handler]> = [
    ["a reset before the response", reset],
    ["a connection closed before the response", (response) => response.socket?.end()],
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
    ["chunks without the last one", (response) => {
      response.writeHead(200)
      response.write(text, () => response.socket?.end())
    }],
    ["a reply that is not HTTP", (response) => response.socket?.end("hello\r\n\r\n")]
  ]

  it.scoped.each(failures)(
    "retries %s, and then fails with NetworkError, which may have been applied",
    ([, handler]) =>
      Effect.gen(function*() {
        const server = yield* Server.make(handler)
        const read = yield* failureOf(tokenPrice.call(yield* clientsAt(server.url, 3)))
        expect(read).toMatchObject({ _tag: "NetworkError", sent: true, mayHaveBeenApplied: false })
        expect(server.received).toHaveLength(3)
        const update = yield* failureOf(updateStreamStatus.call(yield* clientsAt(server.url, 3)))
        expect(update).toMatchObject({ _tag: "NetworkError", sent: true, mayHaveBeenApplied: true })
        expect(server.received).toHaveLength(4)
      }).pipe(Effect.provide(layer))
  )

  const begun = failures.filter(([name]) => /\bbody\b|^chunks/.test(name))

  it.scoped.each(begun)(
    "names the host and states that the response was not complete after %s",
    ([, handler]) =>
      Effect.gen(function*() {
        const server = yield* Server.make(handler)
        const error = yield* failureOf(tokenPrice.call(yield* clientsAt(server.url)))
        const host = new URL(server.url).host
        expect(error).toMatchObject({
          host,
          message:
            `tokenPrice: connection to ${host} failed: the upstream closed the connection before the ` +
            "response was complete. Check the option baseUrl and your network."
        })
      }).pipe(Effect.provide(layer))
  )

  it.scoped("succeeds if a retry gets a response", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response, number) =>
        number < 3 ? reset(response) : response.end(text)
      )
      expect(yield* tokenPrice.call(yield* clientsAt(server.url, 3))).toMatchObject({ usdPrice: 1.5 })
    }).pipe(Effect.provide(layer)))

  it.effect("fails with NetworkError, not sent, if the connection is refused", () =>
    Effect.gen(function*() {
      const clients = yield* clientsAt(`http://127.0.0.1:${yield* Server.freePort}`, 2)
      const facts = { _tag: "NetworkError", reason: "ECONNREFUSED", sent: false, mayHaveBeenApplied: false }
      expect(yield* failureOf(tokenPrice.call(clients))).toMatchObject(facts)
      expect(yield* failureOf(updateStreamStatus.call(clients))).toMatchObject(facts)
    }).pipe(Effect.provide(layer)))

  const hangs: ReadonlyArray<readonly [name: string, handler: Server.Handler]> = [
    ["before the response", () => {}],
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
    "times out %s after the attempt timeout, and closes the connection",
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

  it.scoped("closes the connection when a call is interrupted", () =>
    Effect.gen(function*() {
      const server = yield* Server.make(() => {})
      const fiber = yield* Effect.fork(tokenPrice.call(yield* clientsAt(server.url, 3)))
      yield* server.reached
      yield* Fiber.interrupt(fiber)
      yield* server.closed
      expect(server.received).toHaveLength(1)
    }).pipe(Effect.provide(layer)))
})
