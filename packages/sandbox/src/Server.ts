/**
 * The sandbox as an HTTP server, for programs in other processes or without Effect.
 *
 * The three APIs have the same origin: `/api/v2.2/…`, `/streams/evm/:id/status` and `/transactions/by_hash/:hash`. The
 * ledger's testnet is below `/testnet`. Transport faults affect the socket.
 */
import { baseUrlSettings, upstreamNames } from "@blockquarry/core/Upstreams"
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
    const actualPort = yield* HttpServer.serve(handle, { host, port, shutdownTimeout }).pipe(
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
export const banner = ({ urls }: ServerInfo, { ledger }: SandboxService): ReadonlyArray<string> => {
  const { examples } = ledger
  const api = `${urls.data}/api/v2.2`
  const get = (path: string) => `  curl -s -H 'X-API-Key: ${apiKey}' '${path}'`
  const variables = {
    ...Object.fromEntries(upstreamNames.map((name) => [baseUrlSettings[name].variable, urls[name]])),
    QUARRY_API_KEY: apiKey
  }
  // zsh takes the brackets of an IPv6 address for a pattern
  const quote = (value: string) => value.includes("[") ? `'${value}'` : value
  return [
    "Blockquarry sandbox: synthetic data, no account required",
    "",
    `  data API      ${urls.data}`,
    `  streams API   ${urls.streams}`,
    `  ledger API    ${urls.ledger} (testnet: ${urls.ledgerTestnet})`,
    `  API key       ${apiKey}`,
    "",
    "Use it with quarry, for example `quarry wallet chains " + examples.wallet + "`:",
    "",
    `  export ${Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`).join(" ")}`,
    "",
    "Example requests:",
    "",
    get(`${api}/${examples.wallet}/erc20/transfers?chain=eth&limit=2`),
    get(`${api}/${examples.busyWallet}/erc20/transfers?chain=eth&limit=2`),
    get(`${api}/erc20/${examples.token}/transfers?limit=2`),
    get(`${api}/erc20/${examples.token}/owners?limit=2`),
    get(`${api}/erc20/${examples.token}/price?include=percent_change`),
    get(`${api}/nft/${examples.collection721}?limit=2`),
    get(`${api}/nft/${examples.collection721}/${examples.tokenId721}?normalizeMetadata=true`),
    get(`${api}/nft/${examples.collection1155}/${examples.tokenId1155}/owners`),
    get(`${api}/nft/${examples.unindexedCollection}?limit=2`),
    get(`${api}/wallets/${examples.wallet}/nfts/trades?limit=2`),
    get(`${api}/wallets/${examples.wallet}/chains`),
    get(`${urls.ledger}/transactions/by_hash/${examples.transaction}`),
    `  curl -s -X POST -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' ` +
    `-d '{"status":"paused"}' '${urls.streams}/streams/evm/${examples.stream}/status'`,
    "",
    "Inject a fault, for example:",
    "",
    `  curl -i -H 'X-API-Key: ${apiKey}' -H 'x-sandbox-fault: status=503;retry-after=2' ` +
    `'${api}/wallets/${examples.wallet}/chains'`
  ]
}
