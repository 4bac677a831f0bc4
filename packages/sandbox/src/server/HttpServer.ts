/** The Node HTTP server of the sandbox, which can reset and truncate connections. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Record from "effect/Record"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http"
import { faultHeader } from "../service/Handler.ts"
import { bodyBytes, firstHalf, type SandboxRequest, type SandboxResponse } from "../service/HttpMessage.ts"

/** Serves `handle` until the scope closes. Returns the port. Fails with the error code of the operating system. */
export const serve = (
  handle: (request: SandboxRequest) => Effect.Effect<SandboxResponse>,
  { host, port, shutdownTimeout }: {
    readonly host: string
    readonly port: number
    /** In milliseconds. */
    readonly shutdownTimeout: number
  }
): Effect.Effect<number, string, Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntime<never>()
    const server = createServer((request, response) => {
      const respond = Effect.flatMap(readRequestBody(request), (body) =>
        request.method === "OPTIONS"
          ? Effect.succeed(preflightResponse)
          : handle({
            method: request.method ?? "GET",
            url: request.url ?? "/",
            headers: flattenHeaders(request),
            body
          }))
      const fiber = run(
        Effect.map(respond, (sandboxResponse) => sendResponse(response, sandboxResponse, server.listening))
      )
      // The client disconnected or the response is complete
      response.once("close", () => fiber.unsafeInterruptAsFork(fiber.id()))
    })
    yield* Effect.addFinalizer(() => closeServer(server, shutdownTimeout))
    return yield* Effect.async<number, string>((resume) => {
      server.once("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(error.code ?? error.message)))
      server.listen(port, host, () => {
        server.removeAllListeners("error")
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
      })
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

/** Reads the body as a string. */
const readRequestBody = (request: IncomingMessage): Effect.Effect<string> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
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
