/** A reply on its way to a client. */
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
  /** Tells the client to come back on another connection. */
  readonly closeConnection: boolean
  /** For how many seconds a client is told that it may keep the connection unused. */
  readonly keepAliveHintSeconds: number
  /** Milliseconds after which a client that reads nothing is let go. */
  readonly sendIdleTimeoutMs: number
}

/** Sends a body that is there, in one go. */
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

/** Sends pieces as they come, and no faster than they are read. Gives the bytes that were sent. */
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
 * From here on somebody has to read, as soon as it is this answer's turn. When all is sent the next one may take its
 * time; or Node sets its own limit, for a connection that is not used.
 */
const closeIfIdle = (response: Http.ServerResponse, sendIdleTimeoutMs: number): void => {
  if (response.writableFinished) return
  onceSocketAssigned(response, (socket) => socket.setTimeout(sendIdleTimeoutMs))
  response.prependOnceListener("finish", () => response.socket?.setTimeout(0))
}

/** An answer has no socket while it waits behind another. Gives what ends the waiting. */
const onceSocketAssigned = (
  response: Http.ServerResponse,
  onSocket: (socket: Net.Socket) => void
): () => void => {
  if (response.socket !== null) onSocket(response.socket)
  else response.once("socket", onSocket)
  return () => void response.off("socket", onSocket)
}

/** Waits until the client has read. One that does not is let go, and with that the fiber that waits here. */
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

/** Of a body that nobody wants so much is read as lets its client read the answer. */
const discardRequestBody = (request: Http.IncomingMessage): void => {
  if (request.complete) return
  let length = 0
  request.on("data", (chunk: Uint8Array) => {
    length += chunk.byteLength
    if (length > maxDiscardedBytes) request.socket.destroy()
  })
}

/** Whether what is still to come of a request's body is little enough to be read to its end. */
const isBodyDiscardable = ({ complete, headers }: Http.IncomingMessage): boolean =>
  complete || Number(headers["content-length"] ?? 0) <= maxDiscardedBytes

/** Where Node gave up reading there is no response to write to. */
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
