/** Rows about connections. */
import type * as Http from "node:http"
import * as Zlib from "node:zlib"
import { attempts, type ExpectedOutcome, networkError, rejected, type Responder, type Row } from "./Row.ts"

/** Resets a connection, as after a crash. */
const reset = (response: Http.ServerResponse): void => {
  response.socket?.resetAndDestroy()
}

const contentLength = (text: string) => ({ "content-length": Buffer.byteLength(text) })

const firstHalf = (text: string): string => text.slice(0, Math.floor(text.length / 2))

const brokenConnection = (name: string, responder: Responder): Row => ({ name, responder, ...networkError() })

const brokenConnections: ReadonlyArray<Row> = [
  brokenConnection("a reset before any byte", ({ response }) => reset(response)),
  brokenConnection("a connection closed before any byte", ({ response }) => response.socket?.end()),
  brokenConnection(
    "a reset in the middle of the head",
    ({ response }) => response.socket?.write("HTTP/1.1 200 OK\r\ncontent-le", () => reset(response))
  ),
  brokenConnection("a reset between head and body", ({ response, text }) => {
    response.writeHead(200, contentLength(text))
    response.flushHeaders()
    setImmediate(() => reset(response))
  }),
  brokenConnection("a reset in the middle of a body of known length", ({ response, text }) => {
    response.writeHead(200, contentLength(text))
    response.write(firstHalf(text), () => reset(response))
  }),
  brokenConnection("a reset in the middle of a body of unknown length", ({ response, text }) => {
    response.writeHead(200)
    response.write(firstHalf(text), () => reset(response))
  }),
  brokenConnection("a body shorter than its content-length", ({ response, text }) => {
    response.writeHead(200, contentLength(text))
    response.write(firstHalf(text), () => response.socket?.end())
  }),
  brokenConnection(
    "a body shorter than its content-length with a complete document",
    ({ response, text }) => {
      response.writeHead(200, contentLength(`${text} `))
      response.write(text, () => response.socket?.end())
    }
  ),
  brokenConnection("chunks without the last one", ({ response, text }) => {
    response.writeHead(200)
    response.write(text, () => response.socket?.end())
  }),
  brokenConnection("a reply that is not HTTP", ({ response }) => response.socket?.end("hello\r\n\r\n"))
]

/** Sends a part of a response, or nothing, and then hangs. */
const hangAfter = (name: string, part: Responder): Row => ({
  name: `a hang ${name}`,
  responder: (exchange) => {
    part(exchange)
    exchange.onSilence()
  },
  attempts: 2,
  timeouts: { attempt: "10 seconds", call: "45 seconds" },
  get: { tag: "TimeoutError", requests: 2, fields: { scope: "attempt", mayHaveBeenApplied: false } },
  update: { tag: "TimeoutError", requests: 1, fields: { scope: "attempt", mayHaveBeenApplied: true } },
  servesStale: true
})

const hangs: ReadonlyArray<Row> = [
  hangAfter("before the response", () => {}),
  hangAfter("between head and body", ({ response, text }) => {
    response.writeHead(200, contentLength(text))
    response.flushHeaders()
  }),
  hangAfter("in the middle of a body of known length", ({ response, text }) => {
    response.writeHead(200, contentLength(text))
    response.write(firstHalf(text))
  }),
  hangAfter("in the middle of a body of unknown length", ({ response, text }) => {
    response.writeHead(200)
    response.write(firstHalf(text))
  }),
  hangAfter("in the middle of gzip", ({ response, text }) => {
    response.writeHead(200, { "content-encoding": "gzip" })
    response.write(Zlib.gzipSync(text).subarray(0, 30))
  }),
  {
    ...hangAfter("beyond the call timeout", () => {}),
    timeouts: { attempt: "1 minute", call: "20 seconds" },
    get: { tag: "TimeoutError", requests: 1, fields: { scope: "call", mayHaveBeenApplied: false } },
    update: { tag: "TimeoutError", requests: 1, fields: { scope: "call", mayHaveBeenApplied: true } }
  }
]

/** Nothing is sent, so updates are retried too. */
const unreachableHost = (
  name: string,
  host: NonNullable<Row["unreachableHost"]>,
  fields: ExpectedOutcome["fields"]
): Row => ({
  name,
  responder: () => {},
  unreachableHost: host,
  next: "same",
  ...rejected("NetworkError", attempts, { sent: false, mayHaveBeenApplied: false, ...fields }),
  servesStale: true
})

const unreachableHosts: ReadonlyArray<Row> = [
  unreachableHost("a refused connection", "refused", { reason: "ECONNREFUSED" }),
  unreachableHost("an unknown host", "unknown", { reason: "ENOTFOUND" })
]

export const connectionRows: ReadonlyArray<Row> = [
  ...hangs,
  ...unreachableHosts,
  ...brokenConnections
]
