/** The door to the network: node's HTTP server, whose sockets can be reset and cut. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import {
  bodyBytes,
  firstHalf,
  jsonResponse,
  type SandboxRequest,
  type SandboxResponse,
  withContentLength
} from "../service/HttpMessage.ts"

/** Larger bodies are refused: the only body that the service reads is a status. */
const maxBodyBytes = 1024 * 1024

/**
 * How long a client has to read what was sent before its connection is reset: a reset discards what is
 * unread.
 */
const resetDelay = 25

/** A server that answers with `handle`, closed with the scope. */
export const make = (
  handle: (request: SandboxRequest) => Effect.Effect<SandboxResponse>,
  shutdownTimeout: number
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntime<never>()
    return yield* Effect.acquireRelease(
      Effect.sync(() => {
        const server: Server = createServer((request, response) => {
          const fiber = run(
            readRequestBody(request).pipe(
              Effect.flatMap((body) =>
                body === undefined
                  ? Effect.succeed(payloadTooLarge)
                  : handle({
                    method: request.method ?? "GET",
                    url: request.url ?? "/",
                    headers: flattenHeaders(request),
                    body
                  })
              ),
              Effect.flatMap((sandboxResponse) =>
                Effect.sync(() => sendResponse(response, sandboxResponse, server.listening))
              )
            )
          )
          // Nobody waits for the answer any more
          response.once("close", () => fiber.unsafeInterruptAsFork(fiber.id()))
        })
        return server
      }),
      (server) => closeServer(server, shutdownTimeout)
    )
  })

/** The port that was bound; fails with the system's code. */
export const listenOn = (
  server: Server,
  host: string,
  port: number
): Effect.Effect<{ readonly port: number }, string> =>
  Effect.async((resume) => {
    const onError = (error: NodeJS.ErrnoException) => resume(Effect.fail(error.code ?? error.message))
    server.once("error", onError)
    server.listen(port, host, () => {
      server.off("error", onError)
      const address = server.address()
      resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : port }))
    })
  })

const closeServer = (server: Server, shutdownTimeout: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!server.listening) return resume(Effect.void)
    const deadline = setTimeout(() => server.closeAllConnections(), shutdownTimeout)
    server.close(() => {
      clearTimeout(deadline)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

const payloadTooLarge: SandboxResponse = withContentLength({
  ...jsonResponse(413, { message: "The body is too large" }, { connection: "close" })
})

/** The body as text, or undefined where it is too large. */
const readRequestBody = (request: IncomingMessage): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBodyBytes) chunks.push(chunk)
      else resume(Effect.succeed(undefined))
    })
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
    // The client went away in the middle of its request
    request.once("error", () => resume(Effect.interrupt))
  })

const flattenHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map((
      [name, value]
    ) => [name, Array.isArray(value) ? value.join(", ") : value ?? ""])
  )

/** Sends an answer as its ending says. */
const sendResponse = (
  response: ServerResponse,
  sandboxResponse: SandboxResponse,
  keepAlive: boolean
): void => {
  const { socket } = response
  if (socket === null || socket.destroyed) return
  if (sandboxResponse.transmission === "reset") {
    socket.resetAndDestroy()
    return
  }
  response.writeHead(
    sandboxResponse.status,
    keepAlive ? { ...sandboxResponse.headers } : { ...sandboxResponse.headers, connection: "close" }
  )
  if (sandboxResponse.transmission === "complete") {
    response.end(bodyBytes(sandboxResponse))
    return
  }
  response.write(firstHalf(sandboxResponse), () => {
    if (sandboxResponse.transmission === "truncate") socket.destroySoon()
    if (sandboxResponse.transmission === "reset-body") setTimeout(() => socket.resetAndDestroy(), resetDelay)
  })
}
