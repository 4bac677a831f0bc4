/** Provides the HTTP client: for the network, or for the sandbox in this process. Loads those of Node.js on demand. */
import * as HttpProxy from "@blockquarry/http/gateway/HttpProxy"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UsageError } from "../errors/CommandError.ts"

const environment: HttpProxy.Environment = (name) => process.env[name]

/** Returns the proxy through which the client of the network reaches a URL; null without one. */
const proxyOf = (url: URL) => HttpProxy.find(environment, url)

/**
 * Fails if a proxy variable is invalid. `usage`: whether a client should start fast, or send requests fast. Fetch of Node.js
 * loads 50 ms faster. Undici needs less time for each request, and uses the proxies of the environment.
 */
const network = (usage: "few-requests" | "many-requests") =>
  Effect.gen(function*() {
    const proxies = HttpProxy.configuredProxies(environment)
    if (proxies.length === 0 && usage === "few-requests") {
      const { layer } = yield* Effect.promise(() => import("@effect/platform/FetchHttpClient"))
      return layer
    }
    for (const { value, variable } of proxies) {
      const reason = HttpProxy.invalidReason(value)
      if (reason !== null) {
        return yield* new UsageError({ reason: `${variable}: ${reason}`, hint: "correct or unset it" })
      }
    }
    const { layer } = yield* Effect.promise(() => import("@blockquarry/http/UndiciTransport"))
    return Layer.orDie(layer)
  })

const sandbox = Effect.map(
  Effect.promise(() => import("@blockquarry/sandbox/Sandbox")),
  ({ apiKey, baseUrls, layer }) => {
    const client: Layer.Layer<HttpClient> = layer()
    return { client, apiKey, baseUrls }
  }
)

/** The clients of Node.js. */
const clients = { network, proxyOf, sandbox }

export class HttpTransport
  extends Context.Tag("@blockquarry/cli/HttpTransport")<HttpTransport, typeof clients>()
{}

export const layer: Layer.Layer<HttpTransport> = Layer.succeed(HttpTransport, clients)
