/** A reply on its way to a client. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import type { Reply } from "../Reply.ts"
import { patience } from "./Receive.ts"

export interface Sending {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
  /** Tells the client to come back on another connection. */
  readonly closing: boolean
  /** For how many seconds a client is told that it may keep the connection unused. */
  readonly keep: number
  /** Milliseconds after which a client that reads nothing is let go. */
  readonly stalled: number
}

/** Sends a body that is there, in one go. */
export const whole = (
  { headers, status }: Reply,
  body: Uint8Array,
  { closing, keep, request, response, stalled }: Sending
): void => {
  const bare = status === 204 || status === 304
  response.writeHead(status, {
    ...headers,
    ...(bare ? {} : { "content-length": body.byteLength }),
    ...(closing || !willBeRead(request) ? { connection: "close" } : { "keep-alive": `timeout=${keep}` })
  })
  response.end(bare || request.method === "HEAD" ? undefined : body)
  discard(request)
  untilSent(response, stalled)
}

/** Sends pieces as they come, and no faster than they are read. Gives the bytes that were sent. */
export const pieces = (
  { headers, status }: Reply,
  body: Stream.Stream<Uint8Array>,
  { closing, keep, request, response, stalled }: Sending,
  sent: (bytes: number) => void
): Effect.Effect<void> => {
  response.writeHead(status, {
    ...headers,
    ...(closing ? { connection: "close" } : { "keep-alive": `timeout=${keep}` })
  })
  if (request.method === "HEAD") return Effect.sync(() => void response.end())
  response.flushHeaders()
  return Stream.runForEach(body, (piece) =>
    Effect.suspend(() => {
      sent(piece.byteLength)
      return response.write(piece) ? Effect.void : drained(response, stalled)
    })).pipe(Effect.zipRight(Effect.sync(() => {
      response.end()
      untilSent(response, stalled)
    })))
}

/**
 * From here on somebody has to read, as soon as it is this answer's turn. When all is sent the next one may take its
 * time; or Node sets its own limit, for a connection that is not used.
 */
const untilSent = (response: Http.ServerResponse, stalled: number): void => {
  if (response.writableFinished) return
  onceInTurn(response, (socket) => socket.setTimeout(stalled))
  response.prependOnceListener("finish", () => response.socket?.setTimeout(0))
}

/** An answer has no socket while it waits behind another. Gives what ends the waiting. */
const onceInTurn = (response: Http.ServerResponse, then: (socket: Net.Socket) => void): () => void => {
  if (response.socket !== null) then(response.socket)
  else response.once("socket", then)
  return () => void response.off("socket", then)
}

/** Waits until the client has read. One that does not is let go, and with that the fiber that waits here. */
const drained = (response: Http.ServerResponse, stalled: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const go = () => {
      forget()
      response.socket?.setTimeout(0)
      resume(Effect.void)
    }
    const forget = onceInTurn(response, (socket) => socket.setTimeout(stalled))
    response.once("drain", go)
    return Effect.sync(() => {
      forget()
      response.off("drain", go)
    })
  })

/** Of a body that nobody wants so much is read as lets its client read the answer. */
const discard = (request: Http.IncomingMessage): void => {
  if (request.complete) return
  let length = 0
  request.on("data", (piece: Uint8Array) => {
    length += piece.byteLength
    if (length > patience) request.socket.destroy()
  })
}

/** Whether what is still to come of a request's body is little enough to be read to its end. */
const willBeRead = ({ complete, headers }: Http.IncomingMessage): boolean =>
  complete || Number(headers["content-length"] ?? 0) <= patience

/** Where Node gave up reading there is no response to write to. */
export const raw = ({ headers, status }: Reply, body: Uint8Array, socket: Duplex): void => {
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
