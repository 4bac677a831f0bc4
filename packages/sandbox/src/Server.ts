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
import {
  apiKey,
  baseUrlsAt,
  layerSandbox,
  Sandbox,
  type SandboxOptions,
  type SandboxService,
  type SandboxUrls
} from "./Sandbox.ts"
import { bannerLines } from "./server/Banner.ts"
import * as HttpServer from "./server/HttpServer.ts"

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
  readonly shutdownTimeout?: number
}

/**
 * A server that listens.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerInfo {
  readonly host: string
  readonly port: number
  readonly origin: string
  readonly urls: SandboxUrls
}

/**
 * The server cannot listen where it was told to.
 *
 * @since 0.1.0
 * @category errors
 */
export class ListenError extends Data.TaggedError("ListenError")<{
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
export class SandboxServer extends Context.Tag("@blockquarry/sandbox/Server")<SandboxServer, ServerInfo>() {}

/**
 * Serves the sandbox in context until the scope closes. Then it stops listening, closes idle connections at
 * once and the others after a short grace.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serve = (
  options: ServerOptions = {}
): Effect.Effect<ServerInfo, ListenError, Sandbox | Scope.Scope> =>
  Effect.gen(function*() {
    const { shutdownTimeout = 250, host = "127.0.0.1", port = 0 } = options
    const { handle } = yield* Sandbox
    const server = yield* HttpServer.make(handle, shutdownTimeout)
    const { port: actualPort } = yield* HttpServer.listenOn(server, host, port).pipe(
      Effect.mapError((code) => new ListenError({ host, port, code }))
    )
    const origin = `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`
    return { host, port: actualPort, origin, urls: baseUrlsAt(origin) }
  })

/**
 * A server with a sandbox of its own, whose handles it provides too.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: ServerOptions & SandboxOptions = {}
): Layer.Layer<Sandbox | SandboxServer, ListenError> =>
  Layer.scoped(SandboxServer, serve(options)).pipe(Layer.provideMerge(layerSandbox(options)))

/**
 * Lines of text that show where the sandbox is and what is worth trying.
 *
 * @since 0.1.0
 * @category display
 */
export const banner = (running: ServerInfo, { ledger }: SandboxService): ReadonlyArray<string> =>
  bannerLines(running.urls, ledger.examples, apiKey)
