/** A page that is cut off, at whatever byte and in whatever dress, is no page: nothing short passes for whole. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Zlib from "node:zlib"
import { address, contract } from "../support/Examples.ts"
import * as Server from "../support/Server.ts"
import * as TestClients from "../support/TestClients.ts"
import * as FaultServer from "./support/FaultServer.ts"

const text = JSON.stringify({ result: [{ owner_address: address }, { owner_address: contract }] })
const page = Buffer.from(text)

/** As HTTP writes a body of unknown length, in chunks of 40 bytes. */
const chunked = (body: Buffer): Buffer => {
  const count = Math.ceil(body.length / 40)
  const pieces = Array.from({ length: count }, (_, at) => body.subarray(40 * at, 40 * at + 40))
  const written = pieces.flatMap((
    piece
  ) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
  return Buffer.concat([...written, Buffer.from("0\r\n\r\n")])
}

type Sent = readonly [head: string, body: Buffer]

/** A way to send a body: its length, and what is sent where it is cut off. */
interface BodyEncoding {
  readonly name: string
  readonly length: number
  /** How many of the last bytes a page can do without. */
  readonly spare: { readonly [client: string]: number }
  readonly send: (cut: number) => Sent
}

const sized = (length: number) => `content-length: ${length}\r\n`
const inChunks = "transfer-encoding: chunked\r\n"

/** Whose sender breaks off. */
const broken = (what: string, encoding: string, body: Buffer): ReadonlyArray<Omit<BodyEncoding, "spare">> => [
  {
    name: `${what} of known length`,
    length: body.length,
    send: (cut) => [encoding + sized(body.length), body.subarray(0, cut)]
  },
  {
    name: `${what} in chunks`,
    length: chunked(body).length,
    send: (cut) => [encoding + inChunks, chunked(body).subarray(0, cut)]
  }
]

/** Whose sender believes that it is whole. */
const assumedComplete = (
  what: string,
  encoding: string,
  body: Buffer
): ReadonlyArray<Omit<BodyEncoding, "spare">> => [
  {
    name: `${what} of a length that was cut as well`,
    length: body.length,
    send: (cut) => [encoding + sized(cut), body.subarray(0, cut)]
  },
  {
    name: `${what} in chunks that were ended`,
    length: body.length,
    send: (cut) => [encoding + inChunks, chunked(body.subarray(0, cut))]
  },
  {
    name: `${what} that ends with its connection`,
    length: body.length,
    send: (cut) => [encoding, body.subarray(0, cut)]
  }
]

const gzip = ["gzip", "content-encoding: gzip\r\n", Zlib.gzipSync(page)] as const
const plainBody = ["a page", "", page] as const

/**
 * After the last byte of its text gzip has the mark of its end and eight bytes of checks. `fetch`, which undoes gzip
 * itself, misses neither: where the cut is there, the whole page is given.
 */
const spare = { fetch: 9 }

const encodings: ReadonlyArray<BodyEncoding> = [
  ...[...broken(...plainBody), ...assumedComplete(...plainBody), ...broken(...gzip)].map((encoding) => ({
    ...encoding,
    spare: {}
  })),
  ...assumedComplete(...gzip).map((encoding) => ({ ...encoding, spare }))
]

describe.each(Server.clients)("with %s", (client, layer) => {
  it.scopedLive.each(encodings)(
    "$name is nothing where it is cut off",
    ({ length, send, spare }) =>
      Effect.gen(function*() {
        const server = yield* FaultServer.make
        const place = server.addEndpoint(text)
        const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
          baseUrl: place.url,
          retry: TestClients.immediateRetries(1),
          breaker: CircuitBreaker.none
        })
        // Which cut a request is to meet, it says itself.
        place.responder = ({ query, response }) => {
          const [head, body] = send(Number(query.get("cursor")))
          const status = "HTTP/1.1 200 OK\r\nconnection: close\r\n"
          response.socket?.end(Buffer.concat([Buffer.from(`${status}${head}\r\n`), body]))
        }
        const ask = (cut: number) =>
          Effect.exit(clients.data.tokenOwners({ token_address: address, cursor: String(cut) }))
        const cuts = Array.from({ length }, (_, cut) => cut)
        const exits = yield* Effect.forEach(cuts, ask, { concurrency: 16 })
        const whole = yield* ask(length)
        expect(Exit.isSuccess(whole) && whole.value.result).toHaveLength(2)
        expect(place.received).toBe(length + 1)
        for (const [cut, exit] of exits.entries()) {
          if (cut >= length - (spare[client] ?? 0)) {
            expect(Exit.isSuccess(exit) && exit.value).toEqual(Exit.isSuccess(whole) && whole.value)
          } else {
            const tag = Exit.isSuccess(exit) || exit.cause._tag !== "Fail" ? exit : exit.cause.error._tag
            expect(["NetworkError", "InvalidResponseError"]).toContain(tag)
          }
        }
      }).pipe(Effect.provide(layer))
  )
})
