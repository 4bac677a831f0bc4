/** What is behind the proxy: the service that the configuration names, or the embedded one. Each is loaded when wanted. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { Examples } from "@blockquarry/sandbox/Ledger"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { addresses } from "./Addresses.ts"
import type { Config } from "./Config/Config.ts"
import type { Service } from "./Upstream.ts"

export interface Backend {
  readonly client: Layer.Layer<HttpClient.HttpClient>
  /** The service that a configuration means. */
  readonly serviceOf: (upstream: Config["upstream"]) => Service
  /** What is worth asking the embedded service for. */
  readonly examples: Examples | undefined
}

/** The service at the addresses of the configuration. Undici's client does not follow redirects, so keys stay home. */
const remote: Effect.Effect<Backend> = Effect.map(
  Effect.promise(() => import("@effect/platform-node/NodeHttpClient")),
  ({ layerUndici }) => ({ client: layerUndici, serviceOf: remoteService, examples: undefined })
)

const remoteService = ({ addresses: set, keys }: Config["upstream"]): Service => ({
  addresses: set,
  keys: Record.map(
    addresses,
    (_, address) =>
      keys.filter((key) => key.addresses.includes(address)).map((
        { limit, name, perDay, secret }
      ): ApiKey => ({
        label: name,
        key: secret,
        rateLimit: { ...limit, perDay }
      }))
  )
})

const embedded: Effect.Effect<Backend> = Effect.gen(function*() {
  const { httpClient, key, make, urls } = yield* Effect.promise(() => import("@blockquarry/sandbox/Sandbox"))
  const sandbox = yield* make()
  const keys = [{ label: "sandbox", key: Redacted.make(key), rateLimit: RateLimit.none }]
  const service = { addresses: urls, keys: Record.map(addresses, () => keys) }
  return {
    client: Layer.succeed(HttpClient.HttpClient, httpClient(sandbox)),
    serviceOf: () => service,
    examples: sandbox.ledger.examples
  }
})

export const fromConfig = ({ upstream }: Pick<Config, "upstream">): Effect.Effect<Backend> =>
  upstream.sandbox ? embedded : remote
