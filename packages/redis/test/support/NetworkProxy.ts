/** A TCP proxy that can limit the rate of connections, and change what clients send. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect, createServer, type Socket } from "node:net"
import { Transform } from "node:stream"

export interface NetworkProxy {
  readonly port: number
  /** Limits existing and new connections to a number of bytes per second, in each direction. */
  readonly limit: (bytesPerSecond: number) => Effect.Effect<void>
}

/** `pass` returns what is sent instead of the bytes of a client, or null to close its connection. */
export const make = (
  port: number,
  pass: (bytes: Buffer) => Buffer | null = (bytes) => bytes
): Effect.Effect<NetworkProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    let bytesPerSecond = Number.POSITIVE_INFINITY
    /** Passes 50 ms worth of bytes at a time. */
    const throttle = () =>
      new Transform({
        highWaterMark: 16 * 1024,
        transform(chunk: Buffer, _, done) {
          const passFrom = (start: number): void => {
            const end = Math.min(chunk.length, start + Math.ceil(bytesPerSecond / 20))
            this.push(chunk.subarray(start, end))
            if (end === chunk.length) done()
            else setTimeout(passFrom, 50, end)
          }
          passFrom(0)
        }
      })
    const server = createServer((downstream) => {
      const upstreamSocket = connect(port, "127.0.0.1")
      for (const socket of [downstream, upstreamSocket]) {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
      }
      const changed = new Transform({
        transform(chunk: Buffer, _, done) {
          const passed = pass(chunk)
          if (passed === null) downstream.destroy()
          else done(null, passed)
        }
      })
      downstream.on("close", () => upstreamSocket.destroy())
      downstream.pipe(changed).pipe(throttle()).pipe(upstreamSocket)
      upstreamSocket.pipe(throttle()).pipe(downstream)
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
      limit: (rate) =>
        Effect.sync(() => {
          bytesPerSecond = rate
        })
    }
  })
