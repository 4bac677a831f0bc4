/** An OpenTelemetry collector that stores what it receives. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"

export interface OtlpCollector {
  readonly url: string
  /** Everything received. */
  readonly text: () => string
}

export const make: Effect.Effect<OtlpCollector, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.async<{ readonly server: Http.Server; readonly pieces: ReadonlyArray<string> }>((resume) => {
      const pieces: Array<string> = []
      const server = Http.createServer((request, response) => {
        request.on("data", (piece: Buffer) => pieces.push(piece.toString()))
        request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, pieces })))
    }),
    ({ server }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ),
  ({ pieces, server }) => {
    const bound = server.address()
    const port = typeof bound === "object" && bound !== null ? bound.port : 0
    return { url: `http://127.0.0.1:${port}`, text: () => pieces.join("") }
  }
)
