/**
 * The server: Node's own, with Effect behind it.
 *
 * The platform's server is not used here: at shutdown it removes its listener before the connections are done, so
 * that a request on an open keep-alive connection is never answered. A proxy in a fleet is restarted often; it
 * has to finish what it took, tell its clients to come back elsewhere, and close what is idle. And an answer that lies
 * ready is written from here, without a fiber.
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import type { Config } from "./Config/Config.ts"
import type { Handler } from "./Handle.ts"
import type { Reply } from "./Reply.ts"
import { Connections } from "./Server/Connections.ts"
import { isDoubtful, receive } from "./Server/Receive.ts"
import * as Send from "./Server/Send.ts"

export interface Options {
  readonly host: string
  readonly port: number
  readonly limits: Pick<Config["limits"], "connections" | "headers" | "receive" | "stalled">
  /**
   * For how long clients are told that they may keep a connection unused. No longer than it is said that the server is
   * about to stop: then whoever comes back on an old connection hears of that before it is closed.
   */
  readonly keep: Duration.DurationInput
  /** For how long the server says that it is about to stop before it does. */
  readonly announce: Effect.Effect<Duration.DurationInput>
  /** How long requests that were taken may go on then. */
  readonly grace: Duration.DurationInput
  readonly handler: Handler
}

/** A server that listens. */
export interface Server {
  /** The one that was asked for, or a free one where that was 0. */
  readonly port: number
  readonly connections: () => number
  readonly draining: () => boolean
}

/** The address cannot be listened on. `reason` is the system's code, as in `EADDRINUSE`. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly reason: string
}> {}

/** Listens until the scope closes. */
export const serve = (options: Options): Effect.Effect<Server, ListenFailed, Scope.Scope> =>
  Effect.gen(function*() {
    // Made first, so that it is closed last: what still runs after the grace is interrupted.
    const run = yield* FiberSet.makeRuntime<never>()
    const { handler, limits } = options
    const connections = new Connections()
    const stopping = { announced: false, ending: false }
    const receiveWithin = Duration.toMillis(limits.receive)
    // Before Node ends the connection: who hears why may do better.
    const readWithin = receiveWithin * 0.9
    const stalled = Duration.toMillis(limits.stalled)
    const keep = Math.max(1, Math.floor(Duration.toSeconds(options.keep)))
    const server = Http.createServer({
      keepAliveTimeout: 65_000,
      maxHeaderSize: limits.headers,
      headersTimeout: receiveWithin,
      requestTimeout: receiveWithin,
      connectionsCheckingInterval: Math.min(receiveWithin, 1000),
      // Refused in our own words (`isDoubtful`).
      requireHostHeader: false,
      insecureHTTPParser: false
    })
    server.maxConnections = limits.connections
    // Their bytes are bounded; beyond a number Node would leave some out, and say nothing.
    server.maxHeadersCount = 0
    server.on("connection", (socket) => connections.opened(socket))

    const answer = (request: Http.IncomingMessage, response: Http.ServerResponse): void => {
      const doubtful = isDoubtful(request)
      const { over, reply } = doubtful
        ? handler.refuse(400)
        : handler.handle(receive(request, stopping, readWithin))
      const given = { status: 499, bytes: 0 }
      const send = (reply: Reply): Effect.Effect<void> | undefined => {
        const closing = (doubtful || stopping.announced) && connections.isLast(request, response)
        const sending = { request, response, closing, keep, stalled }
        given.status = reply.status
        if (!(reply.body instanceof Uint8Array)) {
          return Send.pieces(reply, reply.body, sending, (bytes) => {
            given.bytes += bytes
          })
        }
        given.bytes = reply.body.byteLength
        Send.whole(reply, reply.body, sending)
        return undefined
      }
      const working: { fiber?: Fiber.RuntimeFiber<void> } = {}
      connections.took(request, response, () => {
        over(response.writableFinished ? given.status : 499, given.bytes)
        // The client hung up: nobody waits for the answer any more.
        if (working.fiber !== undefined && !response.writableFinished) run(Fiber.interruptFork(working.fiber))
      })
      if (!Effect.isEffect(reply)) return void send(reply)
      const sent = Effect.flatMap(reply, (reply) => Effect.suspend(() => send(reply) ?? Effect.void))
      working.fiber = run(orDestroy(sent, response))
    }
    server.on("request", (request, response) => {
      if (connections.isEnding(request.socket)) return
      try {
        answer(request, response)
      } catch (defect) {
        run(orDestroy(Effect.die(defect), response))
      }
    })
    server.on("clientError", (error: Error & { readonly code?: string }, socket: Duplex) => {
      if (!socket.writable || error.code === "ECONNRESET" || connections.isSpokenFor(socket)) {
        return socket.destroy()
      }
      const { over, reply } = handler.refuse(statusOf(error.code))
      const body = reply.body instanceof Uint8Array ? reply.body : new Uint8Array()
      Send.raw(reply, body, socket)
      return over(reply.status, body.byteLength)
    })
    const stop = Effect.gen(function*() {
      stopping.announced = true
      const announce = Duration.decode(yield* options.announce)
      yield* Effect.sleep(announce)
      // What has no end in sight ends itself while there is time to say where to go on.
      const half = Duration.times(Duration.decode(options.grace), 0.5)
      yield* Effect.fork(Effect.delay(
        Effect.sync(() => {
          stopping.ending = true
        }),
        half
      ))
      yield* drain(server, connections, announce, options.grace)
    })
    // Who closes the scope may have been interrupted, by a signal for one. There every wait would be over at once, and
    // what cannot be interrupted cannot be given up either: so this has a fiber of its own.
    yield* Effect.acquireRelease(
      listen(server, options),
      () => Effect.flatMap(Effect.forkDaemon(Effect.interruptible(stop)), Fiber.join)
    )
    const address = server.address()
    return {
      port: typeof address === "object" && address !== null ? address.port : options.port,
      connections: () => connections.size,
      draining: () => stopping.announced
    }
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
const orDestroy = (
  answered: Effect.Effect<void>,
  connection: { readonly destroy: () => unknown }
): Effect.Effect<void> =>
  Effect.catchAllCause(answered, (cause) => {
    connection.destroy()
    return Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError("a reply was not sent", cause)
  })

/**
 * Stops listening, closes what is silent, lets what was taken finish within the grace.
 *
 * A connection is used by one side and closed by the other without either asking first: a request that is on its way
 * while its connection is closed is lost. Whoever asked since the end was announced was told with the answer, and comes
 * back elsewhere. What is left has been silent for all that time, or was opened during it and has not been used yet:
 * it is given a moment more.
 */
const drain = (
  server: Http.Server,
  connections: Connections,
  announce: Duration.Duration,
  grace: Duration.DurationInput
): Effect.Effect<void> => {
  const stopped = Effect.async<void>((resume) => {
    // The server of HTTP would close what it takes for idle, an answer that a slow client still reads among it.
    Net.Server.prototype.close.call(server, () => resume(Effect.void))
  })
  const look = Effect.async<void>((resume) => {
    // Right after the event loop has read what came, so that nothing that is here already goes unread.
    setImmediate(() => {
      connections.closeSilent()
      resume(Effect.void)
    })
  })
  const moment = Duration.clamp(announce, { minimum: "10 millis", maximum: "500 millis" })
  return Effect.raceFirst(stopped, Effect.forever(Effect.zipRight(look, Effect.sleep(moment)))).pipe(
    Effect.timeoutOption(grace),
    Effect.zipRight(Effect.sync(() => {
      connections.closeAll()
      // It listens no longer: this ends its timers.
      server.close()
    }))
  )
}

const statusOf = (code: string | undefined): 400 | 408 | 431 =>
  code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
