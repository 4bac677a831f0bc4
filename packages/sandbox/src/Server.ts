/**
 * The sandbox as an HTTP server, for programs in other processes or without Effect.
 *
 * The three APIs have the same origin: `/api/v2.2/…`, `/streams/evm/:id/status` and `/transactions/by_hash/:hash`. The
 * ledger's testnet is below `/testnet`. Transport faults affect the socket.
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

/** Options of the server. */
export interface ServerOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** Port to listen on; 0 selects a free port. Default: 0. */
  readonly port?: number
  /** Milliseconds that requests in flight have to complete during shutdown. Default: 250. */
  readonly shutdownTimeout?: number
}

/** The address of a running server. */
export interface ServerInfo {
  readonly host: string
  readonly port: number
  readonly origin: string
  readonly urls: SandboxUrls
}

/** The server cannot listen on the given host and port. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  /** The error code of the operating system, such as EADDRINUSE. */
  readonly code: string
}> {
  override get message(): string {
    return `cannot listen on ${this.host}:${this.port} (${this.code}); choose another port`
  }
}

/** The tag of a running server. */
export class SandboxServer extends Context.Tag("@blockquarry/sandbox/Server")<SandboxServer, ServerInfo>() {}

/**
 * Serves the `Sandbox` of the context until the scope closes. Then stops listening, closes idle connections immediately,
 * and other connections after `shutdownTimeout`.
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

/** Provides a server and its sandbox. */
export const layer = (
  options: ServerOptions & SandboxOptions = {}
): Layer.Layer<Sandbox | SandboxServer, ListenError> =>
  Layer.scoped(SandboxServer, serve(options)).pipe(Layer.provideMerge(layerSandbox(options)))

/** Returns the startup banner: base URLs, API key and example requests. */
export const banner = (running: ServerInfo, { ledger }: SandboxService): ReadonlyArray<string> =>
  bannerLines(running.urls, ledger.examples, apiKey)
