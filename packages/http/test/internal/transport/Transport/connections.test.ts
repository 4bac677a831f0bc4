/** Tests connections over real sockets: reuse, connections that the server closes, and framing. */
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Http from "node:http"
import { unlimited } from "../../../../src/gateway/RawResponse.ts"
import * as Upstream from "../../../../src/gateway/Upstream.ts"
import { turnsLater } from "../../../faults/support/Wait.ts"
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

/** Writes a whole response to the socket, and closes the connection. */
const respondAndClose = (head: string, body: string) => ({ socket }: Http.ServerResponse): void => {
  socket?.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n${head}\r\n${body}`)
}

/** Waits until the client may use the connection of the last response again. */
const connectionIdle = Effect.async<void>((resume) => turnsLater(5, () => resume(Effect.void)))

describe.each(Server.clients)("with %s", (_, layer) => {
  it.scoped("sends successive requests over one connection", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => response.end(text))
      const clients = yield* clientsAt(server.url)
      for (let call = 0; call < 5; call += 1) {
        yield* tokenPrice.call(clients)
        yield* connectionIdle
      }
      expect(server.connections()).toBe(1)
    }).pipe(Effect.provide(layer)))

  it.scoped("retries only reads if the server closes a connection while it is reused", () =>
    Effect.gen(function*() {
      const used = new WeakSet<object>()
      const server = yield* Server.make((response) => {
        const { socket } = response
        if (socket === null) return
        if (used.has(socket)) return void socket.destroy()
        used.add(socket)
        response.end(text)
      })
      const clients = yield* clientsAt(server.url, 2)
      for (let call = 0; call < 2; call += 1) {
        yield* tokenPrice.call(clients)
        yield* connectionIdle
      }
      expect(server.received).toHaveLength(3)
      expect(yield* failureOf(updateStreamStatus.call(clients))).toMatchObject({
        _tag: "NetworkError",
        sent: true,
        mayHaveBeenApplied: true
      })
      expect(server.received).toHaveLength(4)
      expect(server.connections()).toBe(2)
    }).pipe(Effect.provide(layer)))

  const framings: ReadonlyArray<readonly [name: string, framed: boolean, head: string, body: string]> = [
    ["a length", true, `content-length: ${text.length}\r\n`, text],
    ["chunks", true, "transfer-encoding: chunked\r\n", `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`],
    ["the end of the connection", false, "", text]
  ]

  it.scoped.each(framings)(
    "reports whether a body is delimited: by %s",
    ([, framed, head, body]) =>
      Effect.gen(function*() {
        const server = yield* Server.make(respondAndClose(head, body))
        const apiKey = Redacted.make(TestClients.key)
        const { transport } = yield* Upstream.make("data", { apiKey, baseUrl: server.url })
        const response = yield* transport.send(
          {
            method: "GET",
            url: `${server.url}/`,
            apiKey,
            body: null,
            weightHeader: null,
            isObsolete: () => false,
            memory: unlimited
          },
          Number.POSITIVE_INFINITY
        )
        expect({ ...response, bytes: new TextDecoder().decode(response.bytes) }).toEqual({
          status: 200,
          headers: {},
          bytes: text,
          framed
        })
      }).pipe(Effect.provide(layer))
  )
})
