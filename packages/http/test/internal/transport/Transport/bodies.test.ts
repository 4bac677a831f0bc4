/** Tests bodies over real sockets: the size limit, content encoding, and statuses without a body. */
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

/** Sends a call to a server that responds with a head and chunks. */
const respondWith = (
  options: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly chunks: ReadonlyArray<string | Uint8Array>
    readonly maxBodySize?: number
    readonly attempts?: number
  }
) =>
  Effect.gen(function*() {
    const { attempts = 1, headers = {}, maxBodySize, chunks, status = 200 } = options
    const server = yield* Server.make((response) => {
      response.writeHead(status, headers)
      for (const chunk of chunks) response.write(chunk)
      response.end()
    })
    const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
      baseUrl: server.url,
      retry: TestClients.immediateRetries(attempts),
      maxBodySize
    })
    return { server, call: tokenPrice.call(clients) }
  })

describe.each(Server.clients)("with %s", (client, layer) => {
  const provide = Effect.provide(layer)
  const length = (bytes: string | Uint8Array) => ({ "content-length": String(Buffer.byteLength(bytes)) })

  it.scoped("accepts a body of exactly the size limit, with and without Content-Length", () =>
    Effect.gen(function*() {
      for (const headers of [length(text), {}]) {
        const { call } = yield* respondWith({ headers, chunks: [text], maxBodySize: size })
        expect(yield* call).toMatchObject({ usdPrice: 1.5 })
      }
    }).pipe(provide))

  it.scoped("fails with InvalidResponseError above the size limit, does not retry, and closes the connection", () =>
    Effect.gen(function*() {
      for (const headers of [length(text), {}]) {
        const { call, server } = yield* respondWith({
          headers,
          chunks: [text],
          maxBodySize: size - 1,
          attempts: 3
        })
        const error = yield* failureOf(call)
        expect(error).toMatchObject({
          _tag: "InvalidResponseError",
          status: 200,
          reason: `the body is longer than ${size - 1} bytes`
        })
        expect(server.received).toHaveLength(1)
      }
    }).pipe(provide))

  it.scoped("stops reading an endless body at the size limit", () =>
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

  // The platform's client over fetch decompresses itself, and rejects such a body.
  it.scoped(`${client === "fetch" ? "rejects" : "accepts"} a plain body labelled as gzip`, () =>
    Effect.gen(function*() {
      for (const headers of [gzip, { ...gzip, ...length(text) }]) {
        const { call } = yield* respondWith({ headers, chunks: [text] })
        if (client === "fetch") {
          expect(yield* failureOf(call)).toMatchObject({ _tag: "InvalidResponseError", kind: "incomplete" })
        } else expect(yield* call).toMatchObject({ usdPrice: 1.5 })
      }
    }).pipe(provide))

  // The platform's client over undici does not decompress, and has no API of every runtime that decompresses brotli.
  it.scoped(`${client === "the undici client" ? "rejects" : "decompresses"} brotli`, () =>
    Effect.gen(function*() {
      const headers = { "content-encoding": "br" }
      const { call } = yield* respondWith({ headers, chunks: [Zlib.brotliCompressSync(text)] })
      if (client === "the undici client") {
        expect(yield* failureOf(call)).toMatchObject({ _tag: "InvalidResponseError", kind: "incomplete" })
      } else expect(yield* call).toMatchObject({ tokenName: "é".repeat(500) })
    }).pipe(provide))

  it.scoped.each([204, 205, 304])(
    "treats status %d, which has no body, as a response",
    (status) =>
      Effect.gen(function*() {
        const { call } = yield* respondWith({ status, chunks: [] })
        expect(yield* failureOf(call)).toMatchObject({
          _tag: "InvalidResponseError",
          kind: status === 304 ? "redirect" : "incomplete",
          status
        })
      }).pipe(provide)
  )

  // Undici expects the body, and fetch does not.
  const errorOf304 = client === "fetch" ? "InvalidResponseError" : "NetworkError"
  it.scoped(`fails with ${errorOf304} for a 304 with a Content-Length over HTTP/1`, () =>
    Effect.gen(function*() {
      const { call } = yield* respondWith({ status: 304, headers: { "content-length": "100" }, chunks: [] })
      expect(yield* failureOf(call)).toMatchObject({ _tag: errorOf304 })
    }).pipe(provide))

  it.scoped.each([600, 999])(
    "treats the unknown status %d as a ServerError",
    (status) =>
      Effect.gen(function*() {
        const { call } = yield* respondWith({ status, chunks: [] })
        expect(yield* failureOf(call)).toMatchObject({ _tag: "ServerError", status })
      }).pipe(provide)
  )
})

describe("a body with a Content-Length above the size limit", () => {
  it.effect("is cancelled immediately", () =>
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
