/** Sends responses through Node. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import { maxDiscardedBytes } from "./ReceiveRequest.ts"

export interface SendOptions {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
  /** Whether to send `connection: close`. */
  readonly closeConnection: boolean
  /** The idle timeout that `Keep-Alive` announces to the client, in seconds. */
  readonly keepAliveHintSeconds: number
  /** Closes the connection if the client reads nothing for this long, in milliseconds. */
  readonly sendIdleTimeoutMs: number
}

/** Sends a response whose body is in memory. */
export const sendBytes = (
  { headers, status }: ProxyResponse,
  body: Uint8Array,
  { closeConnection, keepAliveHintSeconds, request, response, sendIdleTimeoutMs }: SendOptions
): void => {
  const bodyless = status === 204 || status === 304
  response.writeHead(status, {
    ...headers,
    ...(bodyless ? {} : { "content-length": body.byteLength }),
    ...(closeConnection || !isBodyDiscardable(request)
      ? { connection: "close" }
      : { "keep-alive": `timeout=${keepAliveHintSeconds}` })
  })
  response.end(bodyless || request.method === "HEAD" ? undefined : body)
  discardRequestBody(request)
  closeIfIdle(response, sendIdleTimeoutMs)
}

/** Sends a streaming response with backpressure. Calls `onChunkSent` with the size of each chunk. */
export const sendStream = (
  { headers, status }: ProxyResponse,
  body: Stream.Stream<Uint8Array>,
  { closeConnection, keepAliveHintSeconds, request, response, sendIdleTimeoutMs }: SendOptions,
  onChunkSent: (bytes: number) => void
): Effect.Effect<void> => {
  response.writeHead(status, {
    ...headers,
    ...(closeConnection ? { connection: "close" } : { "keep-alive": `timeout=${keepAliveHintSeconds}` })
  })
  if (request.method === "HEAD") return Effect.sync(() => void response.end())
  response.flushHeaders()
  return Stream.runForEach(body, (chunk) =>
    Effect.suspend(() => {
      onChunkSent(chunk.byteLength)
      return response.write(chunk) ? Effect.void : waitForDrain(response, sendIdleTimeoutMs)
    })).pipe(Effect.zipRight(Effect.sync(() => {
      response.end()
      closeIfIdle(response, sendIdleTimeoutMs)
    })))
}

/**
 * Starts the send timeout for a response that is written but not yet sent. For a pipelined response it starts when the
 * response gets the socket. It ends when everything is sent; then the keep-alive timeout of Node applies.
 */
const closeIfIdle = (response: Http.ServerResponse, sendIdleTimeoutMs: number): void => {
  if (response.writableFinished) return
  onceSocketAssigned(response, (socket) => socket.setTimeout(sendIdleTimeoutMs))
  response.prependOnceListener("finish", () => response.socket?.setTimeout(0))
}

/** Calls back with the socket. A pipelined response has none until the previous one is sent. Returns a cancel function. */
const onceSocketAssigned = (
  response: Http.ServerResponse,
  onSocket: (socket: Net.Socket) => void
): () => void => {
  if (response.socket !== null) onSocket(response.socket)
  else response.once("socket", onSocket)
  return () => void response.off("socket", onSocket)
}

/**
 * Waits until the client has read the buffered data. After the timeout Node closes the connection, which interrupts the
 * waiting fiber.
 */
const waitForDrain = (response: Http.ServerResponse, sendIdleTimeoutMs: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const onDrain = () => {
      cancel()
      response.socket?.setTimeout(0)
      resume(Effect.void)
    }
    const cancel = onceSocketAssigned(response, (socket) => socket.setTimeout(sendIdleTimeoutMs))
    response.once("drain", onDrain)
    return Effect.sync(() => {
      cancel()
      response.off("drain", onDrain)
    })
  })

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

/** Writes a response to the socket. After a parser error Node provides no response object. */
export const sendRaw = ({ headers, status }: ProxyResponse, body: Uint8Array, socket: Duplex): void => {
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries({ ...headers, "content-length": String(body.byteLength), connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status} ${Http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n`),
      body
    ])
  )
}
