/** A server for pages under test. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ProxyResponse } from "../../src/exchange/ProxyResponse.ts"

export interface PageServer {
  readonly url: string
  /** Takes no connection any more, and ends those that there are. */
  readonly stop: Effect.Effect<void>
  readonly restart: Effect.Effect<void>
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

export const serve = (answer: RequestListener): Effect.Effect<PageServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = createServer(answer)
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
  if (address === null || typeof address === "string") throw new Error("it does not listen")
  return address
}

/** Sends a reply of the proxy, whose pages are whole. */
export const send = ({ body, headers, status }: ProxyResponse, response: ServerResponse): void => {
  if (!(body instanceof Uint8Array)) throw new Error("a page is no stream")
  response.writeHead(status, headers).end(body)
}
