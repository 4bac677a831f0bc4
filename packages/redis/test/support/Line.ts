/** A line to a server that can be cut without either side being told, as networks do. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect, createServer, type Socket } from "node:net"

export interface Line {
  readonly port: number
  /** What is connected now hears nothing any more; who connects later does. */
  readonly cut: Effect.Effect<void>
}

export const make = (port: number): Effect.Effect<Line, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1")
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
      }
      near.pipe(far).pipe(near)
    })
    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
    )
    const own = yield* Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address()
        resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0))
      })
    })
    return {
      port: own,
      cut: Effect.sync(() => {
        for (const socket of sockets) socket.unpipe().pause()
      })
    }
  })
