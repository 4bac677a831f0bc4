/** The backend of the proxy: the configured upstreams or the embedded sandbox. Only the backend in use is loaded. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { LedgerExamples } from "@blockquarry/sandbox/Ledger"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import { baseUrlSettings } from "../config/BaseUrls.ts"
import type { Config } from "../config/Config.ts"
import type { UpstreamEndpoints } from "../upstream/UpstreamClient.ts"
import { type ExitError, invalidConfig } from "./ExitError.ts"

export interface Backend {
  readonly httpClientLayer: Layer.Layer<HttpClient.HttpClient, ExitError>
  /** Returns the base URLs and API keys of a configuration. */
  readonly endpointsOf: (upstream: Config["upstream"]) => UpstreamEndpoints
  /** Example parameters with data in the sandbox. */
  readonly examples: LedgerExamples | undefined
}

/** The configured upstreams. */
const remoteBackend: Effect.Effect<Backend> = Effect.map(
  Effect.promise(() => import("@blockquarry/http/UndiciTransport")),
  ({ layer }) => ({
    httpClientLayer: Layer.mapError(layer, (error) => invalidConfig([String(error)], "the environment")),
    endpointsOf: remoteEndpoints,
    examples: undefined
  })
)

const remoteEndpoints = ({ baseUrls, keys }: Config["upstream"]): UpstreamEndpoints => ({
  baseUrls,
  keys: Rec.map(
    baseUrlSettings,
    (_, upstreamName) =>
      keys.filter((key) => key.upstreams.includes(upstreamName)).map((
        { rateLimit, name, dailyQuota, secret }
      ): ApiKey => ({
        label: name,
        key: secret,
        rateLimit: { ...rateLimit, dailyQuota }
      }))
  )
})

const sandboxBackend: Effect.Effect<Backend> = Effect.gen(function*() {
  const { apiKey, baseUrls, httpClient, make } = yield* Effect.promise(() =>
    import("@blockquarry/sandbox/Sandbox")
  )
  const sandbox = yield* make()
  const keys = [{ label: "sandbox", key: Redacted.make(apiKey), rateLimit: RateLimit.none }]
  const endpoints = { baseUrls, keys: Rec.map(baseUrlSettings, () => keys) }
  return {
    httpClientLayer: Layer.succeed(HttpClient.HttpClient, httpClient(sandbox)),
    endpointsOf: () => endpoints,
    examples: sandbox.ledger.examples
  }
})

export const fromConfig = ({ upstream }: Pick<Config, "upstream">): Effect.Effect<Backend> =>
  upstream.sandbox ? sandboxBackend : remoteBackend
