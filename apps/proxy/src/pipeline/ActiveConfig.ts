/**
 * Everything that is built from the configuration. A reload replaces it atomically. State that survives reloads is in
 * `SharedState`.
 */
import * as SteadyClock from "@blockquarry/http/SteadyClock"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Clients from "../auth/Clients.ts"
import type { Config } from "../config/Config.ts"
import * as ClientQuotas from "../quota/ClientQuotas.ts"
import * as UpstreamClient from "../upstream/UpstreamClient.ts"
import type { SharedState } from "./SharedState.ts"

export interface ActiveConfig {
  readonly config: Config
  readonly clients: Clients.ClientRegistry
  readonly quotas: ClientQuotas.ClientQuotas
  readonly upstream: UpstreamClient.UpstreamClient
}

export const make = (
  { quotaStore, engine }: SharedState,
  config: Config,
  endpoints: UpstreamClient.UpstreamEndpoints
): Effect.Effect<ActiveConfig, never, HttpClient.HttpClient> =>
  Effect.zipWith(
    UpstreamClient.make(engine, config, endpoints),
    SteadyClock.current,
    (upstream, clock) => ({
      config,
      clients: Clients.make(config),
      quotas: ClientQuotas.make(config.quotas, quotaStore, clock),
      upstream
    })
  )
