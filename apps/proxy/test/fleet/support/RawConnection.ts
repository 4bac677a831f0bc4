/** A persistent connection for requests as raw bytes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Net from "node:net"

/** The response is missing or incomplete. */
export class ConnectionLost extends Data.TaggedError("Lost")<{ readonly message: string }> {}

export interface RawHttpResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RawConnection {
  readonly socket: Net.Socket
  /** Whether the peer has closed its side of the connection. */
  readonly isHalfClosed: () => boolean
  /** Sends bytes without waiting. */
  readonly send: (text: string) => void
  /** The next response; undefined if the connection ended before its first byte. */
  readonly nextResponse: Effect.Effect<RawHttpResponse | undefined, ConnectionLost>
  /** Waits until the connection is closed. */
  readonly closed: Effect.Effect<void>
}

export const get = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `GET ${path} HTTP/1.1`,
    "host: localhost",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    ""
  ].join("\r\n")

/** Returns the first response and the remaining bytes; undefined while it is incomplete. */
const parseFirst = (read: Buffer): readonly [RawHttpResponse, Buffer] | undefined => {
  const end = read.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [line = "", ...lines] = read.toString("latin1", 0, end).split("\r\n")
  const headers = Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  }))
  const length = end + 4 + Number(headers["content-length"] ?? 0)
  if (read.byteLength < length) return undefined
  const body = read.toString("utf8", end + 4, length)
  return [{ status: Number(line.split(" ")[1]), headers, body }, read.subarray(length)]
}

/** Opens a connection that closes with the scope. */
export const connect = (port: number): Effect.Effect<RawConnection, ConnectionLost, Scope.Scope> =>
  Effect.acquireRelease(open(port), ({ socket }) => Effect.sync(() => socket.destroy()))

/** Opens a connection. Responses must have a Content-Length. */
export const open = (port: number): Effect.Effect<RawConnection, ConnectionLost> =>
  Effect.map(
    Effect.async<Net.Socket, ConnectionLost>((resume) => {
      const socket = Net.connect({ port, host: "127.0.0.1", noDelay: true })
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.once("error", ({ message }) => resume(new ConnectionLost({ message })))
    }),
    (socket) => {
      const state = { pieces: new Array<Buffer>(), over: false, closed: false, notify: () => {} }
      socket.on("data", (piece) => {
        state.pieces.push(piece)
        state.notify()
      })
      socket.on("end", () => {
        state.over = true
        state.notify()
      })
      socket.on("error", () => {
        state.over = true
      })
      socket.on("close", () => {
        state.over = true
        state.closed = true
        state.notify()
      })
      const whenever = <A, E>(check: () => Effect.Effect<A, E> | undefined): Effect.Effect<A, E> =>
        Effect.async((resume) => {
          const onChange = () => {
            const found = check()
            if (found === undefined) return
            state.notify = () => {}
            resume(found)
          }
          state.notify = onChange
          onChange()
        })
      return {
        socket,
        isHalfClosed: () => state.over,
        send: (text) => void socket.write(text),
        nextResponse: whenever(() => {
          const read = Buffer.concat(state.pieces)
          const found = parseFirst(read)
          state.pieces = [found === undefined ? read : found[1]]
          if (found !== undefined) return Effect.succeed(found[0])
          if (!state.over) return undefined
          return read.byteLength === 0
            ? Effect.succeed(undefined)
            : Effect.fail(new ConnectionLost({ message: `cut after ${read.byteLength} bytes` }))
        }),
        closed: whenever(() => state.closed ? Effect.void : undefined)
      }
    }
  )

/** Sends a request on a separate connection. */
export const request = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<RawHttpResponse, ConnectionLost> =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* connect(port)
    connection.send(get(path, { ...headers, connection: "close" }))
    return (yield* connection.nextResponse) ??
      (yield* new ConnectionLost({ message: "closed before a response" }))
  }))

/** Returns whether connections are refused. */
export const isNotListening = (port: number): Effect.Effect<boolean> =>
  Effect.match(open(port), {
    onFailure: () => true,
    onSuccess: ({ socket }) => {
      socket.destroy()
      return false
    }
  })
