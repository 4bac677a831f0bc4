/** Tests faults of the upstream over real sockets: the error of a call, and that nothing stays open afterwards. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type * as Http from "node:http"
import * as Zlib from "node:zlib"
import { tokenPrice, updateStreamStatus } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as Server from "../support/Server.ts"
import * as TestClients from "../support/TestClients.ts"
import { until } from "./support/Wait.ts"

/** More than the buffers of sockets hold, so that a body that is not read to its end keeps its connection busy. */
const maxBodySize = 100_000

const text = JSON.stringify({ usdPrice: 1.5, id: "stream-1", status: "paused", tokenName: "é".repeat(500) })
const firstHalf = text.slice(0, 40)
const gzip = { "content-encoding": "gzip" }

type Fault = readonly [name: string, respond: (response: Http.ServerResponse) => unknown]

const reset = (response: Http.ServerResponse) => response.socket?.resetAndDestroy()
const close = (response: Http.ServerResponse) => response.socket?.end()

const send = (
  body: string | Uint8Array,
  headers: Http.OutgoingHttpHeaders = {},
  status = 200
) =>
(response: Http.ServerResponse) =>
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(body)

/** Sends a head and the first half of a body, and then calls a function. */
const sendHalf = (headers: Http.OutgoingHttpHeaders, then: (response: Http.ServerResponse) => unknown) =>
(
  response: Http.ServerResponse
) => response.writeHead(200, headers).write(firstHalf, () => then(response))

const length = { "content-length": Buffer.byteLength(text) }

/** Sends a body until the client closes the connection. */
const sendForever = (headers: Http.OutgoingHttpHeaders) => (response: Http.ServerResponse) => {
  response.writeHead(200, headers)
  const more = () => {
    while (!response.destroyed && response.write(text));
  }
  response.on("drain", more)
  more()
}

const brokenConnections: ReadonlyArray<Fault> = [
  ["a reset before any byte", reset],
  ["a connection closed before any byte", close],
  [
    "a reset in the middle of the head",
    (response) => response.socket?.write("HTTP/1.1 200 OK\r\ncontent-le", () => reset(response))
  ],
  ["a reset between head and body", (response) => {
    response.writeHead(200, length).flushHeaders()
    setImmediate(() => reset(response))
  }],
  ["a reset in the middle of a body of known length", sendHalf(length, reset)],
  ["a reset in the middle of a body of unknown length", sendHalf({}, reset)],
  ["a body shorter than its content-length", sendHalf(length, close)],
  [
    "a complete document shorter than its content-length",
    (response) =>
      response.writeHead(200, { "content-length": Buffer.byteLength(text) + 1 }).write(
        text,
        () => close(response)
      )
  ],
  ["chunks without the last one", (response) => response.write(text, () => close(response))],
  ["a reply that is not HTTP", (response) => response.socket?.end("hello\r\n\r\n")]
]

const malformedBodies: ReadonlyArray<Fault> = [
  ["truncated JSON with a matching content-length", send(text.slice(0, -1))],
  ["HTML with status 200", send("<!doctype html>", { "content-type": "text/html" })],
  ["an empty body", send("")],
  ["status 204", (response) => response.writeHead(204).end()],
  ["status 205", (response) => response.writeHead(205).end()],
  ["two documents", send(`${text}\n${text}`)],
  ["40,000 levels of arrays", send("[".repeat(40_000) + "]".repeat(40_000))],
  ["truncated gzip", send(Zlib.gzipSync(text).subarray(0, -20), gzip)],
  [
    "truncated gzip of unknown length",
    (response) => response.writeHead(200, gzip).end(Zlib.gzipSync(text).subarray(0, -20))
  ],
  ["text labelled as gzip", send("no gzip, no JSON", gzip)]
]

const largeBodies: ReadonlyArray<Fault> = [
  ["a content-length of gigabytes", sendForever({ "content-length": "10000000000" })],
  ["an endless body of unknown length", sendForever({})],
  ["a gzip bomb", send(Zlib.gzipSync(Buffer.alloc(20 * maxBodySize, " ")), gzip)],
  ["one byte more than the limit", send(" ".repeat(maxBodySize + 1))],
  ["one byte more than the limit, of unknown length", (response) => response.end(" ".repeat(maxBodySize + 1))]
]

/** The error of a call, how often a read is sent, and whether an update may have been applied. */
const groups = [
  [brokenConnections, { _tag: "NetworkError", sent: true }, 2, true],
  [malformedBodies, { _tag: "InvalidResponseError", kind: "incomplete" }, 2, true],
  [
    largeBodies,
    {
      _tag: "InvalidResponseError",
      reason: `the body is longer than ${maxBodySize} bytes`
    },
    1,
    true
  ],
  [[["status 304", send("", {}, 304)]], { _tag: "InvalidResponseError", kind: "redirect" }, 1, false],
  [[["status 999", send("", {}, 999)]], { _tag: "ServerError", status: 999 }, 1, true]
] satisfies ReadonlyArray<readonly [ReadonlyArray<Fault>, object, number, boolean]>

const faults = groups.flatMap(([faults, error, attempts, applied]) =>
  faults.map(([name, respond]) => ({ name, respond, error, attempts, applied }))
)

const hangs: ReadonlyArray<Fault> = [
  ["before the response", () => {}],
  ["between head and body", (response) => response.writeHead(200, length).flushHeaders()],
  ["in the middle of a body of known length", sendHalf(length, () => {})],
  ["in the middle of a body of unknown length", sendHalf({}, () => {})],
  [
    "in the middle of gzip",
    (response) => response.writeHead(200, gzip).write(Zlib.gzipSync(text).subarray(0, 30))
  ]
]

const clientsAt = (baseUrl: string, attempts = 1) =>
  TestClients.connected({ baseUrl, retry: TestClients.immediateRetries(attempts), maxBodySize })

const noneInFlight = (server: Server.Server) => until("all requests to end", () => server.inFlight() === 0)

describe.each(Server.clients)("with %s", (client, layer) => {
  const provide = Effect.provide(layer)

  it.scoped.each(faults)(
    "fails after $name, and then succeeds",
    ({ applied, attempts, error, respond }) =>
      Effect.gen(function*() {
        const server = yield* Server.make((response, number) =>
          number > attempts + 1 ? response.end(text) : respond(response)
        )
        const clients = yield* clientsAt(server.url, 2)
        const read = yield* failureOf(tokenPrice.call(clients))
        expect(read).toMatchObject({ ...error, mayHaveBeenApplied: false })
        expect(server.received).toHaveLength(attempts)
        const update = yield* failureOf(updateStreamStatus.call(clients))
        expect(update).toMatchObject({ ...error, mayHaveBeenApplied: applied })
        expect(server.received).toHaveLength(attempts + 1)
        yield* noneInFlight(server)
        expect(yield* tokenPrice.call(clients)).toMatchObject({ usdPrice: 1.5 })
      }).pipe(provide)
  )

  it.scoped.each(hangs)("ends at the timeout of a hang %s", ([, respond]) =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => void respond(response))
      const call = yield* Effect.fork(failureOf(tokenPrice.call(yield* clientsAt(server.url))))
      yield* server.reached
      // The client may not have received what is sent
      const minute = Effect.zipRight(TestClock.adjust("1 minute"), Fiber.poll(call))
      yield* until("the call to end", Effect.map(minute, Option.isSome))
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "TimeoutError", scope: "attempt" })
      yield* noneInFlight(server)
    }).pipe(provide))

  // Labels of host names have at most 63 characters, so no DNS query is sent.
  it.scoped.each([["ECONNREFUSED", null], ["ENOTFOUND", `${"x".repeat(64)}.invalid`]] as const)(
    "retries an update if nothing was sent: %s",
    ([reason, host]) =>
      Effect.gen(function*() {
        const clients = yield* clientsAt(`http://${host ?? `127.0.0.1:${yield* Server.reservedPort}`}`, 3)
        const [error, usage] = yield* CallUsage.withUsage(failureOf(updateStreamStatus.call(clients)))
        expect(error).toMatchObject({ _tag: "NetworkError", reason, sent: false, mayHaveBeenApplied: false })
        expect(usage.attempts).toBe(3)
      }).pipe(provide)
  )

  it.scoped("follows no redirect", () =>
    Effect.gen(function*() {
      const other = yield* Server.make((response) => response.end(text))
      const statuses = [301, 302, 303, 307, 308]
      const server = yield* Server.make((response, number) =>
        send("", { location: `${number % 2 === 0 ? "" : other.url}/` }, statuses[Math.ceil(number / 2) - 1])(
          response
        )
      )
      const clients = yield* clientsAt(server.url, 2)
      for (const status of statuses) {
        for (const { call } of [tokenPrice, updateStreamStatus]) {
          expect(yield* failureOf(call(clients))).toMatchObject({
            kind: "redirect",
            status,
            mayHaveBeenApplied: false
          })
        }
      }
      expect([server.received.length, other.connections()]).toEqual([2 * statuses.length, 0])
    }).pipe(provide))

  /** The platform's client over fetch decodes itself, and the one over Undici does not decode Brotli. */
  const validBodies: ReadonlyArray<Fault> = [
    ["a byte order mark", send(`\ufeff${text}`)],
    ["gzip", send(Zlib.gzipSync(text), gzip)],
    ["many chunks", (response) => {
      for (const letter of text) response.write(letter)
      response.end()
    }],
    ["exactly the size limit", send(text.padEnd(maxBodySize - 500))],
    ...client === "fetch" ? [] : [
      ["a plain body labelled as gzip", send(text, gzip)],
      [
        "a plain body of unknown length labelled as gzip",
        (response) => response.writeHead(200, gzip).end(text)
      ]
    ] satisfies ReadonlyArray<Fault>,
    ...client === "the undici client" ? [] : [
      ["Brotli", send(Zlib.brotliCompressSync(text), { "content-encoding": "br" })]
    ] satisfies ReadonlyArray<Fault>
  ]

  it.scoped.each(validBodies)("accepts %s", ([, respond]) =>
    Effect.gen(function*() {
      const server = yield* Server.make((response) => void respond(response))
      expect(yield* tokenPrice.call(yield* clientsAt(server.url))).toMatchObject({ usdPrice: 1.5 })
    }).pipe(provide))
})

it.effect("cancels a body with a Content-Length above the size limit immediately", () =>
  Effect.gen(function*() {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (body) => body.enqueue(new Uint8Array(10)),
      cancel: () => void (cancelled = true)
    })
    const reply = ScriptedClient.respond(200, body, { "content-length": "1000" })
    const harness = yield* TestClients.harness([reply], { maxBodySize: 999 })
    expect(yield* failureOf(tokenPrice.call(harness))).toMatchObject({ _tag: "InvalidResponseError" })
    expect([cancelled, harness.requests[0]?.signal.aborted]).toEqual([true, true])
  }))
