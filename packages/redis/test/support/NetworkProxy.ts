/** A TCP proxy that can drop connections silently, without closing either side. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect, createServer, type Socket } from "node:net"

export interface NetworkProxy {
  readonly port: number
  /** Stops all existing connections from transferring data. New connections work. */
  readonly cut: Effect.Effect<void>
}

export const make = (port: number): Effect.Effect<NetworkProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    const server = createServer((downstream) => {
      const upstreamSocket = connect(port, "127.0.0.1")
      for (const socket of [downstream, upstreamSocket]) {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
      }
      downstream.pipe(upstreamSocket).pipe(downstream)
    })
    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
    )
    const boundPort = yield* Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address()
        resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0))
      })
    })
    return {
      port: boundPort,
      cut: Effect.sync(() => {
        for (const socket of sockets) socket.unpipe().pause()
      })
    }
  })
