/** Rows: what becomes of connections. */
import type * as Http from "node:http"
import * as Zlib from "node:zlib"
import { type Answerer, attempts, type Outcome, refused, type Row, unreachable } from "./Row.ts"

/** Ends a connection as a crash does. */
const reset = (response: Http.ServerResponse): void => {
  response.socket?.resetAndDestroy()
}

const sized = (text: string) => ({ "content-length": Buffer.byteLength(text) })

const half = (text: string): string => text.slice(0, Math.floor(text.length / 2))

const broken = (name: string, answer: Answerer): Row => ({ name, answer, ...unreachable() })

const breaks: ReadonlyArray<Row> = [
  broken("a reset before any byte", ({ response }) => reset(response)),
  broken("a connection closed before any byte", ({ response }) => response.socket?.end()),
  broken(
    "a reset in the middle of the head",
    ({ response }) => response.socket?.write("HTTP/1.1 200 OK\r\ncontent-le", () => reset(response))
  ),
  broken("a reset between head and body", ({ response, text }) => {
    response.writeHead(200, sized(text))
    response.flushHeaders()
    setImmediate(() => reset(response))
  }),
  broken("a reset in the middle of a body of known length", ({ response, text }) => {
    response.writeHead(200, sized(text))
    response.write(half(text), () => reset(response))
  }),
  broken("a reset in the middle of a body of unknown length", ({ response, text }) => {
    response.writeHead(200)
    response.write(half(text), () => reset(response))
  }),
  broken("a body shorter than its content-length", ({ response, text }) => {
    response.writeHead(200, sized(text))
    response.write(half(text), () => response.socket?.end())
  }),
  broken("a body shorter than its content-length, although the document is whole", ({ response, text }) => {
    response.writeHead(200, sized(`${text} `))
    response.write(text, () => response.socket?.end())
  }),
  broken("chunks without their end", ({ response, text }) => {
    response.writeHead(200)
    response.write(text, () => response.socket?.end())
  }),
  broken("what is not HTTP", ({ response }) => response.socket?.end("hello\r\n\r\n"))
]

/** A part of an answer, or nothing of it, and then silence. */
const silence = (name: string, part: Answerer): Row => ({
  name: `silence ${name}`,
  answer: (exchange) => {
    part(exchange)
    exchange.silent()
  },
  attempts: 2,
  timeouts: { attempt: "10 seconds", total: "45 seconds" },
  read: { tag: "TimedOut", requests: 2, facts: { limit: "attempt", mayHaveTakenEffect: false } },
  change: { tag: "TimedOut", requests: 1, facts: { limit: "attempt", mayHaveTakenEffect: true } },
  rescued: true
})

const hangs: ReadonlyArray<Row> = [
  silence("before the answer", () => {}),
  silence("between head and body", ({ response, text }) => {
    response.writeHead(200, sized(text))
    response.flushHeaders()
  }),
  silence("in the middle of a body of known length", ({ response, text }) => {
    response.writeHead(200, sized(text))
    response.write(half(text))
  }),
  silence("in the middle of a body of unknown length", ({ response, text }) => {
    response.writeHead(200)
    response.write(half(text))
  }),
  silence("in the middle of gzip", ({ response, text }) => {
    response.writeHead(200, { "content-encoding": "gzip" })
    response.write(Zlib.gzipSync(text).subarray(0, 30))
  }),
  {
    ...silence("beyond the time of the call", () => {}),
    timeouts: { attempt: "1 minute", total: "20 seconds" },
    read: { tag: "TimedOut", requests: 1, facts: { limit: "total", mayHaveTakenEffect: false } },
    change: { tag: "TimedOut", requests: 1, facts: { limit: "total", mayHaveTakenEffect: true } }
  }
]

/** Nothing was sent, so that a change is tried again as well. */
const nowhere = (name: string, where: NonNullable<Row["nowhere"]>, facts: Outcome["facts"]): Row => ({
  name,
  answer: () => {},
  nowhere: where,
  next: "same",
  ...refused("Unreachable", attempts, { sent: false, mayHaveTakenEffect: false, ...facts }),
  rescued: true
})

const unreached: ReadonlyArray<Row> = [
  nowhere("a port that nobody listens at", "refused", { problem: "ECONNREFUSED" }),
  nowhere("a host that there is not", "unknown", { problem: "ENOTFOUND" })
]

export const connections: ReadonlyArray<Row> = [...hangs, ...unreached, ...breaks]
