/**
 * The sandbox behind a real HTTP server, for programs that are not Effect or not in this process.
 *
 * The three APIs live on one origin: `/api/v2.2/…`, `/streams/evm/:id/status` and
 * `/transactions/by_hash/:hash`, the ledger's testnet under `/testnet`. Faults of the transport happen on the
 * socket.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { key, layerSandbox, type Options, Sandbox, type Service, type Urls, urlsAt } from "./Sandbox.ts"
import { bannerLines } from "./Service/Banner.ts"
import * as Socket from "./Service/Socket.ts"

/**
 * Where to listen, and how long requests may go on at shutdown.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Milliseconds for requests that are being answered when the server stops; default 250. */
  readonly grace?: number
}

/**
 * A server that listens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Running {
  readonly host: string
  readonly port: number
  readonly origin: string
  readonly urls: Urls
}

/**
 * The server cannot listen where it was told to.
 *
 * @since 0.1.0
 * @category errors
 */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  /** The system's word for it, such as EADDRINUSE. */
  readonly code: string
}> {
  override get message(): string {
    return `The sandbox cannot listen on ${this.host}:${this.port} (${this.code}); choose another port`
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Server extends Context.Tag("@blockquarry/sandbox/Server")<Server, Running>() {}

/**
 * Serves the sandbox in context until the scope closes. Then it stops listening, closes idle connections at
 * once and the others after a short grace.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serve = (
  options: ServerOptions = {}
): Effect.Effect<Running, ListenFailed, Sandbox | Scope.Scope> =>
  Effect.gen(function*() {
    const { grace = 250, host = "127.0.0.1", port = 0 } = options
    const { handle } = yield* Sandbox
    const server = yield* Socket.make(handle, grace)
    const { port: bound } = yield* Socket.listen(server, host, port).pipe(
      Effect.mapError((code) => new ListenFailed({ host, port, code }))
    )
    const origin = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
    return { host, port: bound, origin, urls: urlsAt(origin) }
  })

/**
 * A server with a sandbox of its own, whose handles it provides too.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: ServerOptions & Options = {}): Layer.Layer<Sandbox | Server, ListenFailed> =>
  Layer.scoped(Server, serve(options)).pipe(Layer.provideMerge(layerSandbox(options)))

/**
 * Lines of text that show where the sandbox is and what is worth trying.
 *
 * @since 0.1.0
 * @category display
 */
export const banner = (running: Running, { ledger }: Service): ReadonlyArray<string> =>
  bannerLines(running.urls, ledger.examples, key)
