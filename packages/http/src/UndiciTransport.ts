/**
 * Sends requests through Undici. For Node.js; needs `@effect/platform-node`.
 *
 * A call over this layer costs a fraction of the CPU time of one over another `HttpClient`, because requests go to the
 * dispatcher of Undici directly. An `HttpClient` that is provided over this layer still applies: then requests go through that
 * client.
 *
 * The layer uses the proxies of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case. The `NetworkError` of a proxy
 * that fails names its host. Node.js reads further trusted certificates from `NODE_EXTRA_CA_CERTS`.
 *
 * @example
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
 * import * as Layer from "effect/Layer"
 *
 * const DataLive = DataApi.layerConfig().pipe(Layer.provide(UndiciTransport.layer))
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { DispatchTransport, errorCode, HttpProxyError } from "./internal/transport/Transport.ts"
import { fromDispatcher } from "./internal/transport/UndiciDispatch.ts"
import { httpProxyError } from "./Settings.ts"

/**
 * Options of the connections: those of Undici's `EnvHttpProxyAgent`. `connect` has the options of TLS, for connections
 * through a proxy too, unless `requestTls` is set.
 */
export type Options = EnvHttpProxyAgent.Options

/**
 * Provides an `HttpClient` over the dispatcher in context, such as an `Agent` with interceptors, or a `MockAgent`.
 */
export const layerWithDispatcher: Layer.Layer<HttpClient.HttpClient, never, NodeHttpClient.Dispatcher> = Layer
  .effect(
    DispatchTransport,
    Effect.zipWith(
      HttpClient.HttpClient,
      NodeHttpClient.Dispatcher,
      (client, dispatcher) => ({ client, make: (options) => fromDispatcher(dispatcher, options) })
    )
  ).pipe(Layer.provideMerge(NodeHttpClient.layerUndiciWithoutDispatcher))

/**
 * Provides an `HttpClient` with connections of its own, which close with the layer. Fails with a `ConfigError` if a proxy
 * is not a URL.
 */
export const layerWithOptions = (
  options: Options
): Layer.Layer<HttpClient.HttpClient, ConfigError.ConfigError> =>
  Layer.provide(layerWithDispatcher, Layer.scoped(NodeHttpClient.Dispatcher, makeDispatcher(options)))

/** Provides an `HttpClient` with connections of its own and default options. */
export const layer: Layer.Layer<HttpClient.HttpClient, ConfigError.ConfigError> = Layer.suspend(() =>
  layerWithOptions({})
)

const makeDispatcher = (
  options: Options
): Effect.Effect<Dispatcher, ConfigError.ConfigError, Scope.Scope> => {
  const proxies = [
    proxyOf("httpProxy", options.httpProxy, "HTTP_PROXY"),
    proxyOf("httpsProxy", options.httpsProxy, "HTTPS_PROXY")
  ].filter(({ url }) => url !== "")
  for (const { name, url } of proxies) {
    const reason = httpProxyError(url)
    if (reason !== null) return Effect.fail(ConfigError.InvalidData([name], reason))
  }
  return Effect.acquireRelease(
    Effect.sync(() =>
      // Without a proxy, an agent saves the look-up for each request.
      proxies.length === 0
        ? new Agent(options)
        : new EnvHttpProxyAgent({ clientFactory: connectToProxy, ...withTunnelTls(options) })
    ),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
}

/** Returns the proxy of an option or else a variable, with the name of its origin. */
const proxyOf = (optionName: string, option: string | undefined, variable: string) =>
  option === undefined
    ? { name: variable, url: environmentVariable(variable) }
    : { name: optionName, url: option }

/** Reads a variable like Undici and curl: the lower-case name takes precedence. */
const environmentVariable = (name: string): string =>
  process.env[name.toLowerCase()] ?? process.env[name] ?? ""

/** Connects to a proxy. Its failures name it, because nothing in those of Undici tells them from failures of the upstream. */
const connectToProxy = (proxy: URL, options: object): Dispatcher => {
  const pool = new Pool(proxy, options)
  const connect = pool.connect.bind(pool)
  const failWith = (reason: string) => {
    throw new HttpProxyError(`proxy ${proxy.host}: ${reason}`)
  }
  return Object.assign(pool, {
    connect: (tunnel: Dispatcher.ConnectOptions) =>
      connect(tunnel).then(
        (response) => {
          if (response.statusCode === 200) return response
          response.socket.on("error", () => {}).destroy()
          return failWith(`response ${response.statusCode} to CONNECT`)
        },
        (error: unknown) => failWith(errorCode(error) ?? "the connection failed")
      )
  })
}

/** Undici uses `connect` for direct connections only. */
const withTunnelTls = (options: Options): Options =>
  typeof options.connect === "object" ? { requestTls: options.connect, ...options } : options
