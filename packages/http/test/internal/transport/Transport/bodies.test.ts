/** Bodies over real sockets: their cap, their encoding, and statuses that have none. */
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { tokenPrice } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as Server from "../../../support/Server.ts"
import * as TestClients from "../../../support/TestClients.ts"

const text = JSON.stringify({ usdPrice: 1.5, tokenName: "é".repeat(500) })
const size = Buffer.byteLength(text)
const gzip = { "content-encoding": "gzip" }

/** Asks a server that answers with a head and pieces. */
const ask = (
  options: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly pieces: ReadonlyArray<string | Uint8Array>
    readonly maxBodySize?: number
    readonly attempts?: number
  }
) =>
  Effect.gen(function*() {
    const { attempts = 1, headers = {}, maxBodySize, pieces, status = 200 } = options
    const server = yield* Server.make((response) => {
      response.writeHead(status, headers)
      for (const piece of pieces) response.write(piece)
      response.end()
    })
    const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
      baseUrl: server.url,
      retry: TestClients.immediateRetries(attempts),
      maxBodySize
    })
    return { server, call: tokenPrice.call(clients) }
  })

describe.each(Server.clients)("with %s", (_, layer) => {
  const provide = Effect.provide(layer)
  const length = (bytes: string | Uint8Array) => ({ "content-length": String(Buffer.byteLength(bytes)) })

  it.scoped("a body as long as the cap is read, with a length and without", () =>
    Effect.gen(function*() {
      for (const headers of [length(text), {}]) {
        const { call } = yield* ask({ headers, pieces: [text], maxBodySize: size })
        expect(yield* call).toMatchObject({ usdPrice: 1.5 })
      }
    }).pipe(provide))

  it.scoped("a body over the cap is ResponseInvalid, not asked for again, and its connection is dropped", () =>
    Effect.gen(function*() {
      for (const headers of [length(text), {}]) {
        const { call, server } = yield* ask({ headers, pieces: [text], maxBodySize: size - 1, attempts: 3 })
        const error = yield* failureOf(call)
        expect(error).toMatchObject({
          _tag: "InvalidResponseError",
          status: 200,
          reason: `the body is longer than ${size - 1} bytes`
        })
        expect(server.received).toHaveLength(1)
      }
    }).pipe(provide))

  it.scoped("a body without end is read no further than the cap", () =>
    Effect.gen(function*() {
      for (const headers of [{}, { "content-length": "10000000000" }]) {
        const server = yield* Server.make((response) => {
          response.writeHead(200, headers)
          const more = () => {
            while (!response.destroyed && response.write(text));
          }
          response.on("drain", more)
          more()
        })
        const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
          baseUrl: server.url,
          retry: TestClients.immediateRetries(1),
          maxBodySize: 100_000
        })
        expect(yield* failureOf(tokenPrice.call(clients))).toMatchObject({ _tag: "InvalidResponseError" })
        yield* server.closed
      }
    }).pipe(provide))

  it.scoped("gzip is undone", () =>
    Effect.gen(function*() {
      const { call } = yield* ask({ headers: gzip, pieces: [Zlib.gzipSync(text)] })
      expect(yield* call).toMatchObject({ tokenName: "é".repeat(500) })
    }).pipe(provide))

  it.scoped("a small gzip of a large body is stopped at the cap", () =>
    Effect.gen(function*() {
      const bomb = Zlib.gzipSync(Buffer.alloc(200_000_000, " "))
      expect(bomb.byteLength).toBeLessThan(1_000_000)
      const { call, server } = yield* ask({
        headers: { ...gzip, ...length(bomb) },
        pieces: [bomb],
        maxBodySize: 1_000_000,
        attempts: 3
      })
      expect(yield* failureOf(call)).toMatchObject({
        _tag: "InvalidResponseError",
        reason: "the body is longer than 1000000 bytes"
      })
      expect(server.received).toHaveLength(1)
    }).pipe(provide))

  const whole = Zlib.gzipSync(text)
  const spoiled = new Uint8Array(whole).fill(0xff, 20, 30)
  const wrong: ReadonlyArray<readonly [name: string, body: string | Uint8Array]> = [
    ["gzip that is cut off", whole.subarray(0, whole.length - 12)],
    ["gzip of which there is only the head", whole.subarray(0, 10)],
    ["gzip that was changed on its way", spoiled],
    ["text that calls itself gzip", "<html>no gzip</html>"],
    ["nothing that calls itself gzip", ""]
  ]

  it.scoped.each(wrong)(
    "%s is garbled: asked for again, ResponseInvalid in the end",
    ([, body]) =>
      Effect.gen(function*() {
        for (const headers of [gzip, { ...gzip, ...length(body) }]) {
          const { call, server } = yield* ask({
            headers,
            pieces: body.length === 0 ? [] : [body],
            attempts: 2
          })
          expect(yield* failureOf(call)).toMatchObject({ _tag: "InvalidResponseError" })
          expect(server.received).toHaveLength(2)
        }
      }).pipe(provide)
  )

  it.scoped.each([204, 205, 304])(
    "status %d, which has no body, is no fault of the connection",
    (status) =>
      Effect.gen(function*() {
        const { call } = yield* ask({ status, pieces: [] })
        expect(yield* failureOf(call)).toMatchObject({
          _tag: status === 304 ? "ServerError" : "InvalidResponseError",
          status
        })
      }).pipe(provide)
  )

  it.scoped.each([600, 999])(
    "status %d, which nobody knows, is a failure of the service",
    (status) =>
      Effect.gen(function*() {
        const { call } = yield* ask({ status, pieces: [] })
        expect(yield* failureOf(call)).toMatchObject({ _tag: "ServerError", status })
      }).pipe(provide)
  )
})

describe("a body that is announced to be too long", () => {
  it.effect("is let go of at once", () =>
    Effect.gen(function*() {
      let cancelled = false
      const body = new ReadableStream<Uint8Array>({
        pull: (body) => body.enqueue(new Uint8Array(10)),
        cancel: () => {
          cancelled = true
        }
      })
      const reply = ScriptedClient.respond(200, body, { "content-length": "1000" })
      const harness = yield* TestClients.harness([reply], { maxBodySize: 999 })
      expect(yield* failureOf(tokenPrice.call(harness))).toMatchObject({ _tag: "InvalidResponseError" })
      expect(cancelled).toBe(true)
      expect(harness.requests[0]?.signal.aborted).toBe(true)
    }))
})
