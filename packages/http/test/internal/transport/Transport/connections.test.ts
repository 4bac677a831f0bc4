/** Tests connections over real sockets: reuse, connections that the server closes, framing, and headers of requests. */
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
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
  TestClients.connected({ baseUrl, retry: TestClients.immediateRetries(attempts) })

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

/** Headers that fetch adds, as browsers do. */
const ofFetch = /^(accept-encoding|accept-language|cache-control|sec-fetch-mode|pragma)$/

describe.each(Server.clients)("with %s", (client, layer) => {
  it.scoped("sends the API key, the accepted type and the user agent, and no tracing headers", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => response.end("{}"))
      const userAgent = `my-service/1.2 ${ApiOptions.userAgent}`
      const clients = yield* TestClients.connected({ baseUrl: server.url, userAgent })
      for (const example of [tokenPrice, updateStreamStatus]) {
        yield* example.call(clients).pipe(Effect.ignore, Effect.withSpan("a span of the program"))
      }
      const names = server.received.map(({ headers }) =>
        Object.keys(headers).filter((name) => client !== "fetch" || !ofFetch.test(name)).toSorted()
      )
      const common = ["accept", "connection", "host", "user-agent", "x-api-key"]
      expect(names).toEqual([common, [...common, "content-length", "content-type"].toSorted()])
      for (const { headers } of server.received) {
        expect(headers).toMatchObject({
          "accept": "application/json",
          "user-agent": userAgent,
          "x-api-key": TestClients.key
        })
      }
    }).pipe(Effect.provide(layer)))
})

it("the default user agent has the version of the package", () => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")
  )
  expect(manifest).toMatchObject({ version: ApiOptions.userAgent.replace("blockquarry/", "") })
})

describe("with fetch", () => {
  it.scoped("keeps the options of the program, and does not follow redirects all the same", () =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => {
        response.writeHead(302, { location: "/elsewhere" })
        response.end()
      })
      const clients = yield* clientsAt(server.url)
      const call = Effect.provideService(tokenPrice.call(clients), FetchHttpClient.RequestInit, {
        headers: { "x-program": "of the program", "x-api-key": "of the program" },
        redirect: "follow"
      })
      expect(yield* failureOf(call)).toMatchObject({ _tag: "InvalidResponseError", kind: "redirect" })
      expect(server.received).toMatchObject([
        { headers: { "x-program": "of the program", "x-api-key": TestClients.key } }
      ])
    }).pipe(Effect.provide(FetchHttpClient.layer)))
})
