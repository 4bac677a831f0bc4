/** The Node HTTP server of the sandbox, which can reset and truncate connections. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Record from "effect/Record"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http"
import { faultHeader } from "../service/Handler.ts"
import {
  bodyBytes,
  firstHalf,
  jsonResponse,
  type SandboxRequest,
  type SandboxResponse,
  withContentLength
} from "../service/HttpMessage.ts"

/** The limit of request bodies. The only request with a body is a status update. */
const maxBodyBytes = 1024 * 1024

/** Creates a server that responds with `handle`. It closes with the scope. */
export const make = (
  handle: (request: SandboxRequest) => Effect.Effect<SandboxResponse>,
  shutdownTimeout: number
): Effect.Effect<NodeServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntime<never>()
    return yield* Effect.acquireRelease(
      Effect.sync(() => {
        const server: NodeServer = createServer((request, response) => {
          const fiber = run(
            readRequestBody(request).pipe(
              Effect.flatMap((body) =>
                request.method === "OPTIONS"
                  ? Effect.succeed(preflightResponse)
                  : body === undefined
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
          // The client disconnected or the response is complete
          response.once("close", () => fiber.unsafeInterruptAsFork(fiber.id()))
        })
        return server
      }),
      (server) => closeServer(server, shutdownTimeout)
    )
  })

/** Binds a port and returns it. Fails with the error code of the operating system. */
export const listenOn = (
  server: NodeServer,
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

const closeServer = (server: NodeServer, shutdownTimeout: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!server.listening) return resume(Effect.void)
    const deadline = setTimeout(() => server.closeAllConnections(), shutdownTimeout)
    server.close(() => {
      clearTimeout(deadline)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** Pages of any origin may read the responses: the data are synthetic, and the API key is public. */
const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after"
}

const preflightResponse: SandboxResponse = {
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": `x-api-key, content-type, ${faultHeader}`,
    "access-control-max-age": "600"
  },
  body: "",
  transmission: "complete"
}

const payloadTooLarge: SandboxResponse = withContentLength(
  jsonResponse(413, { message: "Request body too large" }, { connection: "close" })
)

/** Reads the body as a string. Returns undefined if it is too large. */
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
    // The client disconnected before the end of its request
    request.once("error", () => resume(Effect.interrupt))
  })

const flattenHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Record.map(headers, (value = "") => Array.isArray(value) ? value.join(", ") : value)

/** Sends a response according to its `transmission`. */
const sendResponse = (
  response: ServerResponse,
  sandboxResponse: SandboxResponse,
  keepAlive: boolean
): void => {
  const { socket } = response
  if (socket === null || socket.destroyed) return
  const { transmission } = sandboxResponse
  if (transmission === "reset") {
    socket.resetAndDestroy()
    return
  }
  const body = bodyBytes(sandboxResponse)
  response.writeHead(sandboxResponse.status, {
    ...sandboxResponse.headers,
    ...corsHeaders,
    ...(keepAlive ? {} : { connection: "close" })
  })
  if (transmission === "complete") {
    response.end(body)
    return
  }
  response.write(firstHalf(body), () => {
    if (transmission === "truncate") socket.destroySoon()
  })
}
