/** The door to the network: node's HTTP server, whose sockets can be reset and cut. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type Answer, bytesOf, halfOf, json, type Request, sized } from "./Message.ts"

/** Larger bodies are refused: the only body that the service reads is a status. */
const largestBody = 1024 * 1024

/**
 * How long a client has to read what was sent before its connection is reset: a reset discards what is
 * unread.
 */
const beforeReset = 25

/** A server that answers with `handle`, closed with the scope. */
export const make = (
  handle: (request: Request) => Effect.Effect<Answer>,
  grace: number
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntime<never>()
    return yield* Effect.acquireRelease(
      Effect.sync(() => {
        const server: Server = createServer((request, response) => {
          const fiber = run(
            readBody(request).pipe(
              Effect.flatMap((body) =>
                body === undefined
                  ? Effect.succeed(tooLarge)
                  : handle({
                    method: request.method ?? "GET",
                    url: request.url ?? "/",
                    headers: flat(request),
                    body
                  })
              ),
              Effect.flatMap((answer) => Effect.sync(() => send(response, answer, server.listening)))
            )
          )
          // Nobody waits for the answer any more
          response.once("close", () => fiber.unsafeInterruptAsFork(fiber.id()))
        })
        return server
      }),
      (server) => close(server, grace)
    )
  })

/** The port that was bound; fails with the system's code. */
export const listen = (
  server: Server,
  host: string,
  port: number
): Effect.Effect<{ readonly port: number }, string> =>
  Effect.async((resume) => {
    const refuse = (error: NodeJS.ErrnoException) => resume(Effect.fail(error.code ?? error.message))
    server.once("error", refuse)
    server.listen(port, host, () => {
      server.off("error", refuse)
      const address = server.address()
      resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : port }))
    })
  })

const close = (server: Server, grace: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!server.listening) return resume(Effect.void)
    const deadline = setTimeout(() => server.closeAllConnections(), grace)
    server.close(() => {
      clearTimeout(deadline)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

const tooLarge: Answer = sized({
  ...json(413, { message: "The body is too large" }, { connection: "close" })
})

/** The body as text, or undefined where it is too large. */
const readBody = (request: IncomingMessage): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= largestBody) chunks.push(chunk)
      else resume(Effect.succeed(undefined))
    })
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
    // The client went away in the middle of its request
    request.once("error", () => resume(Effect.interrupt))
  })

const flat = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map((
      [name, value]
    ) => [name, Array.isArray(value) ? value.join(", ") : value ?? ""])
  )

/** Sends an answer as its ending says. */
const send = (response: ServerResponse, answer: Answer, keepAlive: boolean): void => {
  const { socket } = response
  if (socket === null || socket.destroyed) return
  if (answer.ending === "reset") {
    socket.resetAndDestroy()
    return
  }
  response.writeHead(
    answer.status,
    keepAlive ? { ...answer.headers } : { ...answer.headers, connection: "close" }
  )
  if (answer.ending === "whole") {
    response.end(bytesOf(answer))
    return
  }
  response.write(halfOf(answer), () => {
    if (answer.ending === "truncate") socket.destroySoon()
    if (answer.ending === "reset-body") setTimeout(() => socket.resetAndDestroy(), beforeReset)
  })
}
