/**
 * The HTTP server: `node:http` with request handlers that return effects.
 *
 * It does not use the server of `@effect/platform`, which removes its request listener at shutdown before the connections
 * are closed, so requests on open keep-alive connections get no response. It also sends responses that are available
 * synchronously without a fiber.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import * as Completed from "./Completed.ts"
import { abort, noOwner, type RequestOwner } from "./Connection.ts"
import { type ConnectionCounts, Connections } from "./Connections.ts"
import type { HttpRequest } from "./HttpRequest.ts"
import type { HttpResponse } from "./HttpResponse.ts"
import { isAmbiguous, toHttpRequest } from "./ReceiveRequest.ts"
import type { SendLimits } from "./SendProgress.ts"
import * as SendResponse from "./SendResponse.ts"

export interface RequestInFlight {
  readonly response: Effect.Effect<HttpResponse>
  /** Default: `noOwner`. */
  readonly owner?: () => RequestOwner
  /**
   * Must be called when the whole response was handed to the socket, which may buffer it for a slow client, or when
   * the client disconnected before. Precedes `onComplete`.
   */
  readonly onHandedOver?: () => void
  /**
   * Must be called once when the response was sent, with its status and the bytes of its body. The status is 499 if the
   * client disconnected first.
   */
  readonly onComplete: (status: number, bytes: number) => void
}

export interface RequestHandler {
  readonly handle: (request: HttpRequest) => RequestInFlight
  /** Responds to requests that the HTTP parser rejects, or that are ambiguous. */
  readonly reject: (status: 400 | 408 | 431, remoteAddress: string) => RequestInFlight
}

export interface ServerLimits {
  readonly maxConnections: number
  /** The part of `maxConnections` that connections of one network may occupy without serving a request of a client. */
  readonly idleConnectionShare: number
  readonly maxHeaderBytes: number
  /** How long the header and the body of a request may take. */
  readonly requestTimeout: Duration.DurationInput
  /** How long a client may read nothing, and the time over which `minSendRate` is measured. */
  readonly sendIdleTimeout: Duration.DurationInput
  readonly sendTimeout: Duration.DurationInput
  /** In bytes per second. */
  readonly minSendRate: number
}

export interface ServerOptions {
  readonly listen: { readonly host: string; readonly port: number }
  readonly limits: ServerLimits
  /** Whether a peer with this IP address, such as a load balancer, is exempt from `idleConnectionShare`. */
  readonly isTrustedPeer: (address: string) => boolean
  /**
   * The idle time that `Keep-Alive` announces to clients, at most the delay of a shutdown: a client that reuses an idle connection
   * then learns of the shutdown before the connection is closed. Below one second nothing is announced.
   */
  readonly keepAliveHint: Duration.DurationInput
  /** Evaluated when the shutdown starts: how long the server accepts requests then, while it reports that it is not ready. */
  readonly shutdownDelay: Effect.Effect<Duration.DurationInput>
  readonly shutdownTimeout: Duration.DurationInput
  readonly handler: RequestHandler
}

export interface HttpServer {
  /** Listens until the scope closes, which completes the requests in flight. */
  readonly listen: Effect.Effect<void, ListenError, Scope.Scope>
  /** The port, also if the configured port is 0. Null before the server listens. */
  readonly port: () => number | null
  readonly connections: () => ConnectionCounts
  readonly shuttingDown: () => boolean
}

/** The server cannot listen. `reason` is the message of Node, with the address. */
export class ListenError extends Data.TaggedError("ListenError")<{ readonly reason: string }> {}

/** What handling a request uses. */
interface Handling extends Pick<ServerOptions, "handler" | "isTrustedPeer"> {
  readonly connections: Connections
  readonly shutdownState: { started: boolean; streamsShouldEnd: boolean }
  readonly runFork: (effect: Effect.Effect<unknown>) => Fiber.RuntimeFiber<unknown>
  /** Of requests in flight. An array, because a `Set` keeps completed ones: see `Connection.inFlight`. */
  readonly fibers: Array<Fiber.RuntimeFiber<unknown>>
  readonly bodyTimeoutMs: number
  readonly keepAliveHintSeconds: number
}

export const make = (options: ServerOptions): Effect.Effect<HttpServer> =>
  Effect.map(Effect.all([Effect.runtime<never>(), Effect.clock]), ([runtime, clock]) => {
    // Requests use no services of the context, and each one copies it.
    const runFork = Runtime.runFork(Runtime.updateContext(runtime, () => Context.empty()))
    const { handler, isTrustedPeer, limits } = options
    const shutdownState = { started: false, streamsShouldEnd: false }
    const fibers: Handling["fibers"] = []
    let port: number | null = null
    const keepAliveHintSeconds = Math.floor(Duration.toSeconds(options.keepAliveHint))
    const server = makeNodeServer(limits)
    const connectionLimits = {
      sendIdleTimeoutMs: Duration.toMillis(limits.sendIdleTimeout),
      sendTimeoutMs: Duration.toMillis(limits.sendTimeout),
      minSendRate: limits.minSendRate,
      maxIdlePerNetwork: Math.ceil(limits.maxConnections * limits.idleConnectionShare),
      keepAliveHintMs: keepAliveHintSeconds * 1000,
      now: () => clock.unsafeCurrentTimeMillis(),
      isTrustedPeer
    }
    const connections = new Connections(connectionLimits, (request, response) => {
      try {
        handleRequest(handling, request, response)
      } catch (defect) {
        runFork(destroyOnFailure(Effect.die(defect), response))
      }
    })
    const handling: Handling = {
      handler,
      isTrustedPeer,
      connections,
      shutdownState,
      runFork,
      fibers,
      // Shorter than the timeout of Node, which closes the connection without a response.
      bodyTimeoutMs: Duration.toMillis(limits.requestTimeout) * 0.9,
      keepAliveHintSeconds
    }
    server.on("connection", (socket) => connections.add(socket))
    server.on("timeout", (socket) => connections.closeInactive(socket))
    server.on("drop", () => connections.countDropped("max-connections"))
    server.on("request", (request, response) => connections.receive(request, response))
    server.on("clientError", (error: Error & { readonly code?: string }, socket: Duplex) => {
      // The request is answered by the timeout of its body
      const connection = connections.of(socket)
      if (error.code === requestTimedOut && connection?.endsAfterBody() === true) return
      if (!socket.writable || error.code === "ECONNRESET" || connection?.allowsRawError() === false) {
        socket.destroy()
        return
      }
      const { onComplete, response } = handler.reject(
        statusOfParserError(error.code),
        socket instanceof Net.Socket ? socket.remoteAddress ?? "" : ""
      )
      runFork(
        Effect.map(
          response,
          (response) => onComplete(response.status, SendResponse.sendRaw(response, socket))
        )
      )
    })
    const shutDown = Effect.gen(function*() {
      shutdownState.started = true
      const delay = Duration.decode(yield* options.shutdownDelay)
      yield* Effect.sleep(delay)
      // Streaming lists end halfway, so that they can still send their cursor.
      const halfTimeout = Duration.times(Duration.decode(options.shutdownTimeout), 0.5)
      yield* Effect.fork(Effect.delay(
        Effect.sync(() => {
          shutdownState.streamsShouldEnd = true
        }),
        halfTimeout
      ))
      yield* drainConnections(server, connections, delay, options.shutdownTimeout)
    })
    return {
      listen: Effect.gen(function*() {
        // Closed last: interrupts the requests that exceed the shutdown timeout.
        yield* Effect.addFinalizer(() => Fiber.interruptAll(fibers.slice()))
        yield* closeSlowReaders(connections, connectionLimits)
        // The fiber that closes the scope may be interrupted, for example by a signal. There every wait would end immediately,
        // and an uninterruptible wait could not time out. Therefore the shutdown runs in a separate fiber.
        yield* Effect.acquireRelease(
          Effect.map(bindPort(server, options.listen), (bound) => {
            port = bound
          }),
          () => Effect.flatMap(Effect.forkDaemon(Effect.interruptible(shutDown)), Fiber.join)
        )
      }),
      port: () => port,
      connections: () => connections.count(),
      shuttingDown: () => shutdownState.started
    }
  })

const makeNodeServer = ({ maxConnections, maxHeaderBytes, requestTimeout }: ServerLimits): Http.Server => {
  const requestTimeoutMs = Duration.toMillis(requestTimeout)
  const server = Http.createServer({
    // Longer than that of usual load balancers, which ignore the header.
    keepAliveTimeout: 65_000,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 1000),
    // The proxy checks the header itself (`isAmbiguous`), so that the error has its own format.
    requireHostHeader: false,
    insecureHTTPParser: false
  })
  server.maxConnections = maxConnections
  // 0 is unlimited. With a limit Node drops further headers silently. `maxHeaderSize` limits their bytes.
  server.maxHeadersCount = 0
  return server
}

const handleRequest = (
  {
    bodyTimeoutMs,
    connections,
    fibers,
    handler,
    isTrustedPeer,
    keepAliveHintSeconds,
    runFork,
    shutdownState
  }: Handling,
  request: Http.IncomingMessage,
  response: Http.ServerResponse
): void => {
  const ambiguous = isAmbiguous(request)
  const { onComplete, onHandedOver = () => {}, owner = () => noOwner, response: proxyResponse } = ambiguous
    ? handler.reject(400, request.socket.remoteAddress ?? "")
    : handler.handle(toHttpRequest(request, shutdownState, bodyTimeoutMs, isTrustedPeer))
  const sentSoFar = { status: 499, bytes: 0, complete: false }
  const complete = (status: number): void => {
    onHandedOver()
    if (!sentSoFar.complete) onComplete(status, sentSoFar.bytes)
    sentSoFar.complete = true
  }
  const send = (proxyResponse: HttpResponse): Effect.Effect<void> => {
    const connection = connections.of(request.socket)
    const closeConnection = connection?.isLastResponse(response, ambiguous || shutdownState.started) !== false
    const sending = {
      request,
      response,
      closeConnection,
      // Only until the shutdown starts, connections stay open for that long.
      keepAliveHintSeconds: shutdownState.started ? 0 : keepAliveHintSeconds
    }
    sentSoFar.status = proxyResponse.status
    if (!(proxyResponse.body instanceof Uint8Array)) {
      const sendStream = SendResponse.sendStream(proxyResponse, proxyResponse.body, sending, (bytes) => {
        sentSoFar.bytes += bytes
      })
      return Effect.matchEffect(sendStream, {
        onSuccess: () => Effect.sync(onHandedOver),
        onFailure: () => {
          complete(sentSoFar.status)
          return Effect.delay(Effect.sync(() => abort(request.socket, response)), abortDelay)
        }
      })
    }
    sentSoFar.bytes = proxyResponse.body.byteLength
    SendResponse.sendBytes(proxyResponse, proxyResponse.body, sending)
    onHandedOver()
    return Effect.void
  }
  const work: { fiber?: Fiber.RuntimeFiber<unknown> } = {}
  const onSent = (sent: boolean): void => {
    complete(sent ? sentSoFar.status : 499)
    // The client disconnected.
    if (work.fiber !== undefined && !sent) runFork(Fiber.interruptFork(work.fiber))
  }
  connections.track(request, { response, owner, onComplete: onSent })
  const sending = Completed.flatMap(proxyResponse, send)
  // Cache hits have been sent already.
  if (Completed.isComplete(sending)) return
  const fiber = runFork(destroyOnFailure(sending, response))
  if (fiber.unsafePoll() !== null) return
  work.fiber = fiber
  fibers.push(fiber)
  fiber.addObserver(() => fibers.splice(fibers.indexOf(fiber), 1))
}

/** How long the client of an incomplete body may read it: some discard what they have not read when the connection ends. */
const abortDelay = Duration.millis(250)

const bindPort = (
  server: Http.Server,
  { host, port }: ServerOptions["listen"]
): Effect.Effect<number, ListenError> =>
  Effect.async((resume) => {
    const failed = ({ message }: Error) => resume(Effect.fail(new ListenError({ reason: message })))
    server.once("error", failed)
    server.listen(port, host, () => {
      server.off("error", failed)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const closeSlowReaders = (
  connections: Connections,
  { sendIdleTimeoutMs, sendTimeoutMs }: SendLimits
): Effect.Effect<void, never, Scope.Scope> => {
  const intervalMs = Math.min(1000, sendIdleTimeoutMs / 4, sendTimeoutMs / 4)
  return Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      let previous = performance.now()
      return setInterval(() => {
        const now = performance.now()
        // Clients are not charged for a pause of this process.
        connections.closeSlowReaders(Math.min(now - previous, 2 * intervalMs))
        previous = now
      }, intervalMs).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  ))
}

const destroyOnFailure = (
  responding: Effect.Effect<void>,
  response: Http.ServerResponse
): Effect.Effect<void> =>
  Effect.catchAllCause(responding, (cause) => {
    // A pipelined response has no socket until those before it are sent.
    if (response.socket === null) response.destroy()
    else abort(response.socket, response)
    return Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError("failed to send a response", cause)
  })

/**
 * Stops listening, closes idle connections, and waits for the requests in flight, at most for the shutdown timeout.
 *
 * A request is lost if its connection is closed while it is in transit. Clients that sent a request during the shutdown
 * delay received `connection: close`. The remaining connections were idle for the whole delay, or were opened during it
 * and are still unused. They are closed after one more interval without activity.
 */
const drainConnections = (
  server: Http.Server,
  connections: Connections,
  delay: Duration.Duration,
  timeout: Duration.DurationInput
): Effect.Effect<void> => {
  const listenerClosed = Effect.async<void>((resume) => {
    // `Http.Server.close` would also close connections whose response a slow client is still reading.
    Net.Server.prototype.close.call(server, () => resume(Effect.void))
  })
  const closeIdle = Effect.async<void>((resume) => {
    // After the poll phase of the event loop, so that all received data has been read.
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
        // The server no longer listens. This stops its timers.
        server.close()
      }))
    )
}

const requestTimedOut = "ERR_HTTP_REQUEST_TIMEOUT"

const statusOfParserError = (code: string | undefined): 400 | 408 | 431 =>
  code === "HPE_HEADER_OVERFLOW" ? 431 : code === requestTimedOut ? 408 : 400
