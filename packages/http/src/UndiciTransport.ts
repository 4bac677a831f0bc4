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
import {
  Agent,
  buildConnector,
  DecoratorHandler,
  type Dispatcher,
  type EnvHttpProxyAgent,
  Pool,
  ProxyAgent
} from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpProxy from "./gateway/HttpProxy.ts"
import { DispatchTransport, errorCode, HttpProxyError } from "./internal/transport/Transport.ts"
import { fromDispatcher } from "./internal/transport/UndiciDispatch.ts"

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
 * Provides connections of its own, through the proxies of options or environment. They close with the layer. Fails with a
 * `ConfigError` if a proxy is not a URL.
 */
export const dispatcherWithOptions = (
  options: Options
): Layer.Layer<NodeHttpClient.Dispatcher, ConfigError.ConfigError> =>
  Layer.scoped(NodeHttpClient.Dispatcher, makeDispatcher(options))

/** Provides connections of its own with default options, for example to `fetch` of Undici. */
export const dispatcher: Layer.Layer<NodeHttpClient.Dispatcher, ConfigError.ConfigError> = Layer.suspend(() =>
  dispatcherWithOptions({})
)

/**
 * Provides an `HttpClient` with connections of its own, which close with the layer. Fails with a `ConfigError` if a proxy
 * is not a URL.
 */
export const layerWithOptions = (
  options: Options
): Layer.Layer<HttpClient.HttpClient, ConfigError.ConfigError> =>
  Layer.provide(layerWithDispatcher, dispatcherWithOptions(options))

/** Provides an `HttpClient` with connections of its own and default options. */
export const layer: Layer.Layer<HttpClient.HttpClient, ConfigError.ConfigError> = Layer.provide(
  layerWithDispatcher,
  dispatcher
)

const makeDispatcher = (
  options: Options
): Effect.Effect<Dispatcher, ConfigError.ConfigError, Scope.Scope> => {
  const optionOf: HttpProxy.Environment = (name) => {
    const option = optionNames[name.toLowerCase()]
    return option === undefined ? undefined : options[option]
  }
  const valueOf: HttpProxy.Environment = (name) => optionOf(name) ?? process.env[name]
  const proxies = HttpProxy.configuredProxies(valueOf)
  for (const { value, variable } of proxies) {
    const reason = HttpProxy.invalidReason(value)
    const name = optionOf(variable) === undefined ? variable : optionNames[variable] ?? variable
    if (reason !== null) return Effect.fail(ConfigError.InvalidData([name], reason))
  }
  return Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => ({
        direct: new Agent(options),
        proxies: new Map(proxies.map(({ value }) => [value, makeProxyAgent(new URL(value), options)]))
      })),
      ({ direct, proxies }) =>
        Effect.promise(() => Promise.all([direct, ...proxies.values()].map((each) => each.destroy())))
    ),
    ({ direct, proxies }) => {
      // Without a proxy, an agent saves the look-up for each request.
      if (proxies.size === 0) return direct
      return direct.compose(() => (request, handler) => {
        const proxy = HttpProxy.find(valueOf, new URL(String(request.origin)))
        return (proxies.get(proxy?.value ?? "") ?? direct).dispatch(request, handler)
      })
    }
  )
}

const optionNames: Readonly<Record<string, "httpProxy" | "httpsProxy" | "noProxy">> = {
  http_proxy: "httpProxy",
  https_proxy: "httpsProxy",
  no_proxy: "noProxy"
}

/**
 * Sends requests for https URLs through a tunnel, and those for http URLs to the proxy itself, because many proxies allow tunnels
 * to port 443 only.
 */
const makeProxyAgent = (proxy: URL, options: Options): Dispatcher => {
  const connectDirectly = buildConnector({ ...options.proxyTls })
  const connect: buildConnector.connector = (to, callback) =>
    connectDirectly(to, (...result) => {
      const [error] = result
      if (error === null) callback(...result)
      else callback(failureOf(proxy, errorCode(error) ?? "the connection failed"), null)
    })
  return new ProxyAgent({
    // Undici uses `connect` for direct connections only.
    ...typeof options.connect === "object" ? { requestTls: options.connect } : {},
    proxyTunnel: false,
    ...options,
    uri: proxy.href,
    clientFactory: (_, client) => new Pool(proxy, { ...client, connect }),
    factory: (origin, client) =>
      new Pool(origin, String(origin) === proxy.href ? { ...client, connect } : client)
  }).compose((dispatch) => (request, handler) => {
    const named: Dispatcher.DispatchHandler = new DecoratorHandler(handler)
    const fail = named.onResponseError?.bind(named)
    named.onResponseError = (controller, error) => {
      const status = /^Proxy .*\((\d{3})\)/.exec(error.message)?.[1]
      fail?.(controller, status === undefined ? error : failureOf(proxy, `response ${status}`))
    }
    return dispatch(request, named)
  })
}

/** A failure of a proxy, which names it, because those of Undici tell them from failures of the upstream by their texts only. */
const failureOf = (proxy: URL, reason: string): HttpProxyError =>
  new HttpProxyError(`proxy ${proxy.host}: ${reason}`)
