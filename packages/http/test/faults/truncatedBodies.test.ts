/** Tests truncated bodies, at every byte and with every encoding: a truncated page never counts as complete. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Zlib from "node:zlib"
import { sample } from "../../../core/test/support/sample.ts"
import { address, contract } from "../support/Examples.ts"
import * as Server from "../support/Server.ts"
import * as TestClients from "../support/TestClients.ts"
import * as FaultServer from "./support/FaultServer.ts"

const text = JSON.stringify({ result: [{ owner_address: address }, { owner_address: contract }] })
const page = Buffer.from(text)

/** Encodes a body in HTTP chunks of 40 bytes. */
const chunked = (body: Buffer): Buffer => {
  const count = Math.ceil(body.length / 40)
  const chunks = Array.from({ length: count }, (_, at) => body.subarray(40 * at, 40 * at + 40))
  const encoded = chunks.flatMap((
    chunk
  ) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
  return Buffer.concat([...encoded, Buffer.from("0\r\n\r\n")])
}

type Sent = readonly [head: string, body: Buffer]

/** A way to send a body: its length, and what is sent if it is cut at a byte. */
interface BodyEncoding {
  readonly name: string
  readonly length: number
  readonly send: (cut: number) => Sent
}

const sized = (length: number) => `content-length: ${length}\r\n`
const inChunks = "transfer-encoding: chunked\r\n"

/** The connection breaks off. */
const interrupted = (
  what: string,
  encoding: string,
  body: Buffer
): ReadonlyArray<BodyEncoding> => [
  {
    name: `${what} of known length`,
    length: body.length,
    send: (cut) => [encoding + sized(body.length), body.subarray(0, cut)]
  },
  {
    name: `${what} with chunked encoding`,
    length: chunked(body).length,
    send: (cut) => [encoding + inChunks, chunked(body).subarray(0, cut)]
  }
]

/** The truncated body is sent as if it were complete. */
const undetected = (
  what: string,
  encoding: string,
  body: Buffer
): ReadonlyArray<BodyEncoding> => [
  {
    name: `${what} with a matching content-length`,
    length: body.length,
    send: (cut) => [encoding + sized(cut), body.subarray(0, cut)]
  },
  {
    name: `${what} with a last chunk`,
    length: body.length,
    send: (cut) => [encoding + inChunks, chunked(body.subarray(0, cut))]
  },
  {
    name: `${what} without a length`,
    length: body.length,
    send: (cut) => [encoding, body.subarray(0, cut)]
  }
]

const gzip = ["gzip", "content-encoding: gzip\r\n", Zlib.gzipSync(page)] as const
const plainBody = ["a page", "", page] as const

const encodings = [
  ...interrupted(...plainBody),
  ...undetected(...plainBody),
  ...interrupted(...gzip),
  ...undetected(...gzip)
]

/**
 * `fetch` does not always notice that the last chunk is missing, or the end of a gzip stream: an end marker and a checksum. The
 * page before it is complete.
 */
const acceptsWholePages = (client: string) => client === "fetch"

describe.each(sample(Server.clients, 2))("with %s", (client, layer) => {
  it.scopedLive.each(encodings)(
    "rejects a truncated response: $name",
    ({ length, send }) =>
      Effect.gen(function*() {
        const server = yield* FaultServer.make
        const endpoint = server.addEndpoint(text)
        const clients = yield* TestClients.clientsOver(yield* HttpClient.HttpClient, {
          baseUrl: endpoint.url,
          retry: TestClients.immediateRetries(1),
          breaker: CircuitBreaker.none
        })
        // The cursor of a request selects the cut.
        endpoint.responder = ({ query, response }) => {
          const [head, body] = send(Number(query.get("cursor")))
          const status = "HTTP/1.1 200 OK\r\nconnection: close\r\n"
          response.socket?.end(Buffer.concat([Buffer.from(`${status}${head}\r\n`), body]))
        }
        const fetchPage = (cut: number) =>
          Effect.exit(clients.data.tokenOwners({ token_address: address, cursor: String(cut) }))
        const cuts = Array.from({ length }, (_, cut) => cut)
        const exits = yield* Effect.forEach(cuts, fetchPage, { concurrency: 16 })
        const complete = yield* fetchPage(length)
        expect(Exit.isSuccess(complete) && complete.value.result).toHaveLength(2)
        expect(endpoint.received).toBe(length + 1)
        for (const exit of exits) {
          if (Exit.isSuccess(exit) && acceptsWholePages(client)) {
            expect(exit.value).toEqual(Exit.isSuccess(complete) && complete.value)
          } else {
            const tag = Exit.isSuccess(exit) || exit.cause._tag !== "Fail" ? exit : exit.cause.error._tag
            expect(["NetworkError", "InvalidResponseError"]).toContain(tag)
          }
        }
      }).pipe(Effect.provide(layer))
  )
})
