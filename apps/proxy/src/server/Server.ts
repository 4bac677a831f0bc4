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
import type { Config } from "../config/Config.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { RequestHandler } from "../pipeline/RequestHandler.ts"
import { ConnectionTracker } from "./Connections.ts"
import { isAmbiguous, toProxyRequest } from "./ReceiveRequest.ts"
import * as SendResponse from "./SendResponse.ts"

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly limits: Pick<
    Config["limits"],
    "maxConnections" | "maxHeaderBytes" | "requestTimeout" | "sendIdleTimeout"
  >
  /**
   * For how long clients are told that they may keep a connection unused. No longer than it is said that the server is
   * about to stop: then whoever comes back on an old connection hears of that before it is closed.
   */
  readonly keepAliveHint: Duration.DurationInput
  /** For how long the server says that it is about to stop before it does. */
  readonly shutdownDelay: Effect.Effect<Duration.DurationInput>
  /** How long requests that were taken may go on then. */
  readonly shutdownTimeout: Duration.DurationInput
  readonly handler: RequestHandler
}

/** A server that listens. */
export interface RunningServer {
  /** The one that was asked for, or a free one where that was 0. */
  readonly port: number
  readonly connections: () => number
  readonly shuttingDown: () => boolean
}

/** The address cannot be listened on. `reason` is the system's code, as in `EADDRINUSE`. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly reason: string
}> {}

/** Listens until the scope closes. */
export const startServer = (options: ServerOptions): Effect.Effect<RunningServer, ListenError, Scope.Scope> =>
  Effect.gen(function*() {
    // Made first, so that it is closed last: what still runs after the grace is interrupted.
    const runFork = yield* FiberSet.makeRuntime<never>()
    const { handler, limits } = options
    const connections = new ConnectionTracker()
    const shutdownState = { started: false, streamsShouldEnd: false }
    const requestTimeoutMs = Duration.toMillis(limits.requestTimeout)
    // Before Node ends the connection: who hears why may do better.
    const bodyTimeoutMs = requestTimeoutMs * 0.9
    const sendIdleTimeoutMs = Duration.toMillis(limits.sendIdleTimeout)
    const keepAliveHintSeconds = Math.max(1, Math.floor(Duration.toSeconds(options.keepAliveHint)))
    const server = Http.createServer({
      keepAliveTimeout: 65_000,
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(requestTimeoutMs, 1000),
      // Refused in our own words (`isDoubtful`).
      requireHostHeader: false,
      insecureHTTPParser: false
    })
    server.maxConnections = limits.maxConnections
    // Their bytes are bounded; beyond a number Node would leave some out, and say nothing.
    server.maxHeadersCount = 0
    server.on("connection", (socket) => connections.add(socket))

    const handleRequest = (request: Http.IncomingMessage, response: Http.ServerResponse): void => {
      const ambiguous = isAmbiguous(request)
      const { onComplete, response: proxyResponse } = ambiguous
        ? handler.reject(400)
        : handler.handle(toProxyRequest(request, shutdownState, bodyTimeoutMs))
      const sentSoFar = { status: 499, bytes: 0 }
      const send = (proxyResponse: ProxyResponse): Effect.Effect<void> | undefined => {
        const closeConnection = (ambiguous || shutdownState.started) &&
          connections.isLastResponse(request, response)
        const sending = { request, response, closeConnection, keepAliveHintSeconds, sendIdleTimeoutMs }
        sentSoFar.status = proxyResponse.status
        if (!(proxyResponse.body instanceof Uint8Array)) {
          return SendResponse.sendStream(proxyResponse, proxyResponse.body, sending, (bytes) => {
            sentSoFar.bytes += bytes
          })
        }
        sentSoFar.bytes = proxyResponse.body.byteLength
        SendResponse.sendBytes(proxyResponse, proxyResponse.body, sending)
        return undefined
      }
      const work: { fiber?: Fiber.RuntimeFiber<void> } = {}
      connections.trackRequest(request, response, () => {
        onComplete(response.writableFinished ? sentSoFar.status : 499, sentSoFar.bytes)
        // The client hung up: nobody waits for the answer any more.
        if (work.fiber !== undefined && !response.writableFinished) runFork(Fiber.interruptFork(work.fiber))
      })
      if (!Effect.isEffect(proxyResponse)) return void send(proxyResponse)
      const sendEffect = Effect.flatMap(
        proxyResponse,
        (proxyResponse) => Effect.suspend(() => send(proxyResponse) ?? Effect.void)
      )
      work.fiber = runFork(destroyOnFailure(sendEffect, response))
    }
    server.on("request", (request, response) => {
      if (connections.isClosing(request.socket)) return
      try {
        handleRequest(request, response)
      } catch (defect) {
        runFork(destroyOnFailure(Effect.die(defect), response))
      }
    })
    server.on("clientError", (error: Error & { readonly code?: string }, socket: Duplex) => {
      if (!socket.writable || error.code === "ECONNRESET" || connections.hasPendingExchange(socket)) {
        return socket.destroy()
      }
      const { onComplete, response: proxyResponse } = handler.reject(statusOfParserError(error.code))
      const body = proxyResponse.body instanceof Uint8Array ? proxyResponse.body : new Uint8Array()
      SendResponse.sendRaw(proxyResponse, body, socket)
      return onComplete(proxyResponse.status, body.byteLength)
    })
    const shutDown = Effect.gen(function*() {
      shutdownState.started = true
      const delay = Duration.decode(yield* options.shutdownDelay)
      yield* Effect.sleep(delay)
      // What has no end in sight ends itself while there is time to say where to go on.
      const halfTimeout = Duration.times(Duration.decode(options.shutdownTimeout), 0.5)
      yield* Effect.fork(Effect.delay(
        Effect.sync(() => {
          shutdownState.streamsShouldEnd = true
        }),
        halfTimeout
      ))
      yield* drainConnections(server, connections, delay, options.shutdownTimeout)
    })
    // Who closes the scope may have been interrupted, by a signal for one. There every wait would be over at once, and
    // what cannot be interrupted cannot be given up either: so this has a fiber of its own.
    yield* Effect.acquireRelease(
      bindPort(server, options),
      () => Effect.flatMap(Effect.forkDaemon(Effect.interruptible(shutDown)), Fiber.join)
    )
    const address = server.address()
    return {
      port: typeof address === "object" && address !== null ? address.port : options.port,
      connections: () => connections.size,
      shuttingDown: () => shutdownState.started
    }
  })

const bindPort = (
  server: Http.Server,
  { host, port }: { readonly host: string; readonly port: number }
): Effect.Effect<void, ListenError> =>
  Effect.async((resume) => {
    const failed = (error: Error & { readonly code?: string }) =>
      resume(Effect.fail(new ListenError({ host, port, reason: error.code ?? error.message })))
    server.once("error", failed)
    server.listen(port, host, () => {
      server.off("error", failed)
      resume(Effect.void)
    })
  })

/** Whoever gets no reply must not wait for one. */
const destroyOnFailure = (
  responding: Effect.Effect<void>,
  connection: { readonly destroy: () => unknown }
): Effect.Effect<void> =>
  Effect.catchAllCause(responding, (cause) => {
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
const drainConnections = (
  server: Http.Server,
  connections: ConnectionTracker,
  delay: Duration.Duration,
  timeout: Duration.DurationInput
): Effect.Effect<void> => {
  const listenerClosed = Effect.async<void>((resume) => {
    // The server of HTTP would close what it takes for idle, an answer that a slow client still reads among it.
    Net.Server.prototype.close.call(server, () => resume(Effect.void))
  })
  const closeIdle = Effect.async<void>((resume) => {
    // Right after the event loop has read what came, so that nothing that is here already goes unread.
    setImmediate(() => {
      connections.closeIdle()
      resume(Effect.void)
    })
  })
  const interval = Duration.clamp(delay, { minimum: "10 millis", maximum: "500 millis" })
  return Effect.raceFirst(listenerClosed, Effect.forever(Effect.zipRight(closeIdle, Effect.sleep(interval))))
    .pipe(
      Effect.timeoutOption(timeout),
      Effect.zipRight(Effect.sync(() => {
        connections.closeAll()
        // It listens no longer: this ends its timers.
        server.close()
      }))
    )
}

const statusOfParserError = (code: string | undefined): 400 | 408 | 431 =>
  code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
