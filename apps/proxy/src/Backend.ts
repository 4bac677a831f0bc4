/** What is behind the proxy: the service that the settings name, or the embedded one. Each is loaded when wanted. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Names from "@blockquarry/http/Settings"
import type { Examples } from "@blockquarry/sandbox/Ledger"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Service, Settings } from "./Config.ts"

export interface Backend {
  readonly service: Service
  readonly client: Layer.Layer<HttpClient.HttpClient>
  /** What is worth asking the embedded service for. */
  readonly examples: Examples | undefined
}

/** The service at the addresses of the settings. Undici's client does not follow redirects, so the key stays home. */
const remote = (service: Service): Effect.Effect<Backend> =>
  Effect.map(
    Effect.promise(() => import("@effect/platform-node/NodeHttpClient")),
    ({ layerUndici }) => ({ service, client: layerUndici, examples: undefined })
  )

const embedded: Effect.Effect<Backend> = Effect.gen(function*() {
  const { httpClient, key, make, urls } = yield* Effect.promise(() => import("@blockquarry/sandbox/Sandbox"))
  const sandbox = yield* make()
  return {
    service: {
      apiKey: Redacted.make(key),
      rateLimit: RateLimit.none,
      addresses: {
        [Names.baseUrl]: urls.data,
        [Names.streamsUrl]: urls.streams,
        [Names.ledgerUrl]: urls.ledger,
        [Names.ledgerTestnetUrl]: urls.ledgerTestnet
      }
    },
    client: Layer.succeed(HttpClient.HttpClient, httpClient(sandbox)),
    examples: sandbox.ledger.examples
  }
})

export const fromSettings = ({ sandbox, service }: Settings): Effect.Effect<Backend> =>
  sandbox ? embedded : remote(service)
