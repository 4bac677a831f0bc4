/** Sends responses through Node. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type { Duplex } from "node:stream"
import type { HttpResponse, IncompleteBodyError } from "./HttpResponse.ts"
import { maxDiscardedBytes } from "./ReceiveRequest.ts"

export interface SendOptions {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
  readonly closeConnection: boolean
  /** The idle time that `Keep-Alive` announces to the client, in seconds. 0 announces none. */
  readonly keepAliveHintSeconds: number
}

/** Of a response without `Cache-Control`: Varnish and others would choose how long they store it. */
const noStore = { "cache-control": "no-store" }

export const sendBytes = (
  { headers, status }: HttpResponse,
  body: Uint8Array,
  sending: SendOptions
): void => {
  const { request, response } = sending
  const bodyless = status === 204 || status === 304
  // Node copies a flat list faster than an object.
  const fields: Array<string> = []
  for (const name in headers) fields.push(name, headers[name] ?? "")
  if (headers["cache-control"] === undefined) fields.push("cache-control", noStore["cache-control"])
  if (!bodyless) fields.push("content-length", String(body.byteLength))
  fields.push(...connectionHeader(sending))
  response.writeHead(status, fields)
  response.end(bodyless || request.method === "HEAD" ? undefined : body)
  discardRequestBody(request)
}

/**
 * The longest write of a stream. How fast the client reads is known when the system has accepted the whole write, see
 * `SendProgress`.
 */
const maxWriteBytes = 64 * 1024

const writesOf = (chunk: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from(
    { length: Math.ceil(chunk.byteLength / maxWriteBytes) },
    (_, index) => chunk.subarray(index * maxWriteBytes, (index + 1) * maxWriteBytes)
  )

/** Sends a streaming response with backpressure. Calls `onChunkSent` with the size of each chunk. Fails as the stream, after its bytes. */
export const sendStream = (
  { headers, status }: HttpResponse,
  body: Stream.Stream<Uint8Array, IncompleteBodyError>,
  sending: SendOptions,
  onChunkSent: (bytes: number) => void
): Effect.Effect<void, IncompleteBodyError> => {
  const { request, response } = sending
  const [name, value] = connectionHeader(sending)
  response.writeHead(status, { ...noStore, ...headers, [name]: value })
  if (request.method === "HEAD") return Effect.sync(() => void response.end())
  response.flushHeaders()
  return Stream.runForEach(Stream.mapConcat(body, writesOf), (chunk) =>
    Effect.suspend(() => {
      onChunkSent(chunk.byteLength)
      return response.write(chunk) ? Effect.void : waitForDrain(response)
    })).pipe(
      Effect.tapError(() => flushed(response)),
      Effect.zipRight(Effect.sync(() => void response.end()))
    )
}

/** Announces what happens to the connection after the response, which may be for how long it stays open without requests. */
const connectionHeader = (
  { closeConnection, keepAliveHintSeconds, request, response }: SendOptions
): readonly [name: string, value: string] =>
  closeConnection || !response.shouldKeepAlive || !isBodyDiscardable(request)
    ? ["connection", "close"]
    : keepAliveHintSeconds > 0
    ? ["keep-alive", `timeout=${keepAliveHintSeconds}`]
    // Without a header Node announces its own timeout, which a shutdown does not wait for.
    : ["connection", "keep-alive"]

const waitForDrain = (response: Http.ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  })

/** Waits until the system has accepted what was written. A pipelined response waits for the ones before it. */
const flushed = (response: Http.ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => void response.write("", () => resume(Effect.void)))

/** Reads and discards the rest of a request body, up to a limit, so that the client can read the response. */
const discardRequestBody = (request: Http.IncomingMessage): void => {
  if (request.complete) return
  let length = 0
  request.on("data", (chunk: Uint8Array) => {
    length += chunk.byteLength
    if (length > maxDiscardedBytes) request.socket.destroy()
  })
}

/** Whether the rest of a request body is small enough to discard, so that the connection can be reused. */
const isBodyDiscardable = ({ complete, headers }: Http.IncomingMessage): boolean =>
  complete || Number(headers["content-length"] ?? 0) <= maxDiscardedBytes

/** Writes a response to the socket, and returns the size of its body. After a parser error Node provides no response object. */
export const sendRaw = ({ body, headers, status }: HttpResponse, socket: Duplex): number => {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array()
  const fields = { ...noStore, ...headers, "content-length": String(bytes.byteLength), connection: "close" }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${Http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n`
  if (socket.writable) socket.end(Buffer.concat([Buffer.from(head), bytes]))
  else socket.destroy()
  return bytes.byteLength
}
