/** A server for pages under test, and for what a proxy requests. */
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface PageServer {
  readonly url: string
  /** Stops listening and closes all connections. */
  readonly stop: Effect.Effect<void>
  readonly restart: Effect.Effect<void>
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

export const serve = (listener: RequestListener): Effect.Effect<PageServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    // Connections of pools stay open
    const server = createServer({ keepAliveTimeout: 60_000 }, listener)
    const listen = (port: number) =>
      Effect.async<void>((resume) => {
        server.listen(port, "127.0.0.1", () => resume(Effect.void))
      })
    const stop = Effect.async<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
    yield* Effect.acquireRelease(listen(0), () => stop)
    const { port } = addressOf(server.address())
    return { url: `http://127.0.0.1:${port}/`, stop, restart: listen(port) }
  })

const addressOf = (address: AddressInfo | string | null): AddressInfo => {
  if (address === null || typeof address === "string") throw new Error("the server is not listening")
  return address
}

/** Sends a page of the proxy. */
export const send = ({ body, headers, status }: HttpResponse, response: ServerResponse): void => {
  if (!(body instanceof Uint8Array)) throw new Error("expected a page, got a stream")
  response.writeHead(status, headers).end(body)
}
