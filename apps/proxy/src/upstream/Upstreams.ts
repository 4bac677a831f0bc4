/** The upstreams: the configured ones, or the embedded sandbox. Only those in use are loaded. */
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import type { ApiKey } from "@blockquarry/http/ApiOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import type { LedgerExamples } from "@blockquarry/sandbox/Ledger"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import type { Config } from "../config/Config.ts"

/** The base URL and the API keys of each upstream. The base URL is undefined if it is not configured. */
export interface UpstreamEndpoints {
  readonly baseUrls: { readonly [A in UpstreamName]: string | undefined }
  readonly keys: { readonly [A in UpstreamName]: ReadonlyArray<ApiKey> }
}

interface UpstreamsService {
  readonly endpointsOf: (upstream: Config["upstream"]) => UpstreamEndpoints
  /** Example parameters with data in the sandbox. */
  readonly examples: LedgerExamples | undefined
}

export class Upstreams extends Context.Tag("quarry-proxy/Upstreams")<Upstreams, UpstreamsService>() {}

/** Provides the upstreams, and the client that sends requests to them. Fails if an HTTP proxy of the environment is invalid. */
export const layer = (
  { sandbox }: Config["upstream"]
): Layer.Layer<Upstreams | HttpClient.HttpClient, ConfigError.ConfigError> =>
  sandbox ? sandboxLayer : remoteLayer

const remoteLayer = Layer.merge(
  Layer.sync(Upstreams, (): UpstreamsService => ({ endpointsOf: remoteEndpoints, examples: undefined })),
  Layer.unwrapEffect(Effect.map(
    Effect.promise(() => import("@blockquarry/http/UndiciTransport")),
    ({ layer }) => layer
  ))
)

const remoteEndpoints = ({ baseUrls, keys }: Config["upstream"]): UpstreamEndpoints => ({
  baseUrls: Rec.map(baseUrlSettings, (_, name) => baseUrls[name]),
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

const sandboxLayer = Layer.effectContext(Effect.gen(function*() {
  const { apiKey, baseUrls, httpClient, make } = yield* Effect.promise(() =>
    import("@blockquarry/sandbox/Sandbox")
  )
  const sandbox = yield* make()
  const keys = [{ label: "sandbox", key: Redacted.make(apiKey), rateLimit: RateLimit.none }]
  const endpoints = { baseUrls, keys: Rec.map(baseUrlSettings, () => keys) }
  return Context.make(Upstreams, { endpointsOf: () => endpoints, examples: sandbox.ledger.examples }).pipe(
    Context.add(HttpClient.HttpClient, httpClient(sandbox))
  )
}))
