/**
 * The server: Node's own, with Effect behind it.
 *
 * The platform's server is not used here: at shutdown it removes its listener before the connections are done, so
 * that a request on an open keep-alive connection is never answered. A proxy in a fleet is restarted often; it
 * has to finish what it took, tell its clients to come back elsewhere, and close what is idle.
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import type { Request } from "./App.ts"
import * as Body from "./Body.ts"
import type * as Failure from "./Failure.ts"
import type { Reply } from "./Reply.ts"

export interface Options<R> {
  readonly host: string
  readonly port: number
  /** How long requests that were taken may go on when the server stops. */
  readonly grace: Duration.DurationInput
  readonly handle: (request: Request) => Effect.Effect<Reply, never, R>
  /** Answers what is not HTTP. */
  readonly refuse: (status: 400 | 408 | 431) => Effect.Effect<Reply, never, R>
}

/** The address cannot be listened on. `reason` is the system's code, as in `EADDRINUSE`. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly reason: string
}> {}

/** Listens until the scope closes, and gives the port, which is a free one where 0 was asked for. */
export const serve = <R>(options: Options<R>): Effect.Effect<number, ListenFailed, Scope.Scope | R> =>
  Effect.gen(function*() {
    // Made first, so that it is closed last: what still runs after the grace is interrupted.
    const run = yield* FiberSet.makeRuntime<R>()
    const connections = new Connections()
    const server = Http.createServer({ keepAliveTimeout: 65_000 })
    server.on("connection", (socket) => connections.opened(socket))
    server.on("request", (request, response) => {
      connections.took(request.socket)
      const answered = Effect.map(
        Effect.suspend(() => options.handle(receive(request, () => connections.draining))),
        (reply) => send(reply, request, response, connections.draining)
      )
      const fiber = run(orDestroy(answered, response))
      response.once("close", () => {
        connections.answered(request.socket)
        // The client hung up: nobody waits for the answer any more.
        if (!response.writableFinished) run(Fiber.interruptFork(fiber))
      })
    })
    server.on("clientError", (error: Error & { readonly code?: string }, socket: Duplex) => {
      // Behind a request that is being answered, words of ours would pass for its answer.
      if (!socket.writable || error.code === "ECONNRESET" || connections.isBusy(socket)) {
        return socket.destroy()
      }
      const answered = Effect.map(options.refuse(statusOf(error.code)), (reply) => sendRaw(reply, socket))
      return run(orDestroy(answered, socket))
    })
    yield* Effect.acquireRelease(listen(server, options), () => drain(server, connections, options.grace))
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : options.port
  })

const listen = (
  server: Http.Server,
  { host, port }: { readonly host: string; readonly port: number }
): Effect.Effect<void, ListenFailed> =>
  Effect.async((resume) => {
    const failed = (error: Error & { readonly code?: string }) =>
      resume(Effect.fail(new ListenFailed({ host, port, reason: error.code ?? error.message })))
    server.once("error", failed)
    server.listen(port, host, () => {
      server.off("error", failed)
      resume(Effect.void)
    })
  })

/** Whoever gets no reply must not wait for one. */
const orDestroy = <R>(
  answered: Effect.Effect<void, never, R>,
  connection: { readonly destroy: () => unknown }
): Effect.Effect<void, never, R> =>
  Effect.catchAllCause(answered, (cause) => {
    connection.destroy()
    return Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError("a reply was not sent", cause)
  })

/** Stops listening, closes what is idle, lets what was taken finish within the grace. */
const drain = (
  server: Http.Server,
  connections: Connections,
  grace: Duration.DurationInput
): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    connections.draining = true
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
    connections.closeUnused()
  }).pipe(
    // A finalizer is not interruptible, and what is not cannot be given up.
    Effect.interruptible,
    Effect.timeoutOption(grace),
    Effect.zipRight(Effect.sync(() => server.closeAllConnections()))
  )

/** Which connections are open, and how many requests of each are being answered. */
class Connections {
  draining = false
  readonly #open = new Map<unknown, { readonly socket: Net.Socket; requests: number }>()

  opened(socket: Net.Socket): void {
    this.#open.set(socket, { socket, requests: 0 })
    socket.once("close", () => this.#open.delete(socket))
  }

  took(socket: unknown): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) connection.requests += 1
  }

  answered(socket: unknown): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) connection.requests -= 1
  }

  isBusy(socket: unknown): boolean {
    return (this.#open.get(socket)?.requests ?? 0) > 0
  }

  /** Node counts a connection on which nothing ever came as busy. */
  closeUnused(): void {
    for (const { socket } of this.#open.values()) if (socket.bytesRead === 0) socket.destroy()
  }
}

const receive = (request: Http.IncomingMessage, draining: () => boolean): Request => ({
  method: request.method ?? "GET",
  target: request.url ?? "/",
  headers: Object.fromEntries(
    Object.entries(request.headers).map((
      [name, value]
    ) => [name, Array.isArray(value) ? value.join(", ") : value])
  ),
  body: readBody(request),
  get draining() {
    return draining()
  }
})

/** A client that is cut off while it still writes does not read why: what is somewhat too long is read to its end. */
const patience = 8 * 1024 * 1024

const readBody = (request: Http.IncomingMessage): Effect.Effect<Uint8Array, Failure.Failure> =>
  Effect.async((resume) => {
    if (Number(request.headers["content-length"] ?? 0) > patience) return resume(Effect.fail(Body.tooLarge))
    const pieces: Array<Uint8Array> = []
    let length = 0
    const take = (piece: Uint8Array) => {
      length += piece.byteLength
      if (length <= Body.cap) pieces.push(piece)
      else if (length > patience) finish(Effect.fail(Body.tooLarge))
    }
    const end = () =>
      finish(length > Body.cap ? Effect.fail(Body.tooLarge) : Effect.succeed(Buffer.concat(pieces)))
    // The connection broke: there is nobody to answer.
    const broken = () => finish(Effect.interrupt)
    const finish = (result: Effect.Effect<Uint8Array, Failure.Failure>) => {
      request.off("data", take).off("end", end).off("error", broken).off("close", broken)
      resume(result)
    }
    request.on("data", take).on("end", end).on("error", broken).on("close", broken)
    return undefined
  })

const send = (
  { body, headers, status }: Reply,
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  draining: boolean
): void => {
  const closing = draining ||
    !(request.complete || Number(request.headers["content-length"] ?? 0) <= patience)
  response.writeHead(status, {
    ...headers,
    ...(status === 204 ? {} : { "content-length": String(body.byteLength) }),
    ...(closing ? { connection: "close" } : {})
  })
  response.end(request.method === "HEAD" || status === 204 ? undefined : body)
}

const statusOf = (code: string | undefined): 400 | 408 | 431 =>
  code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400

/** Where Node gave up reading there is no response to write to. */
const sendRaw = ({ body, headers, status }: Reply, socket: Duplex): void => {
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries({ ...headers, "content-length": String(body.byteLength), connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status} ${Http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n`),
      body
    ])
  )
}
