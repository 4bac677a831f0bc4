/** A persistent connection for requests as raw bytes, whose responses have a Content-Length. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Net from "node:net"
import { type ConditionTimeout, eventually } from "./Eventually.ts"

export interface RawConnection {
  readonly socket: Net.Socket
  /** Whether the peer has closed its side of the connection. */
  readonly isHalfClosed: () => boolean
  /** Sends a request without waiting. */
  readonly get: (path: string) => void
  /** The next response; null if the connection ended before it. */
  readonly nextResponse: Effect.Effect<RawResponse | null, ConditionTimeout>
  /** Waits until the connection is closed. */
  readonly closed: Effect.Effect<void, ConditionTimeout>
}

interface RawResponse {
  readonly status: number
  readonly connection: string | undefined
  readonly body: string
}

const socketTo = (port: number): Effect.Effect<Net.Socket, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Net.Socket, Error>((resume) => {
      const socket = Net.connect({ port, host: "127.0.0.1", noDelay: true })
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.on("error", (error) => resume(Effect.fail(error)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Opens a connection that closes with the scope. */
export const connect = (port: number): Effect.Effect<RawConnection, Error, Scope.Scope> =>
  Effect.map(socketTo(port), (socket) => {
    let read = ""
    socket.setEncoding("latin1").on("data", (text) => read += String(text))
    const takeResponse = (): RawResponse | undefined => {
      const end = read.indexOf("\r\n\r\n") + 4
      const head = read.slice(0, end)
      const length = end + Number(/^content-length: (\d+)/im.exec(head)?.[1])
      if (end < 4 || read.length < length) return undefined
      const body = read.slice(end, length)
      read = read.slice(length)
      return {
        status: Number(head.split(" ")[1]),
        connection: /^connection: (.*)\r$/im.exec(head)?.[1],
        body
      }
    }
    return {
      socket,
      isHalfClosed: () => socket.readableEnded,
      get: (path) => void socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`),
      nextResponse: Effect.suspend(() => {
        let response: RawResponse | undefined
        const isOver = () =>
          (response = takeResponse()) !== undefined || socket.readableEnded || socket.destroyed
        return Effect.map(eventually("a response arrives", isOver), () => response ?? null)
      }),
      closed: eventually("the connection is closed", () => socket.destroyed)
    }
  })

const isListening = (port: number) =>
  Effect.scoped(Effect.match(socketTo(port), { onFailure: () => false, onSuccess: () => true }))

/** Waits until connections are accepted. */
export const listening = (port: number): Effect.Effect<void, ConditionTimeout> =>
  eventually(`port ${port} is open`, isListening(port))

/** Waits until connections are refused. */
export const notListening = (port: number): Effect.Effect<void, ConditionTimeout> =>
  eventually(`port ${port} is closed`, Effect.map(isListening(port), (isListening) => !isListening))
