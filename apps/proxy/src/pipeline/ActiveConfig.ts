/** The active configuration, which a reload replaces, with everything that is built from it. */
import type { Engine } from "@blockquarry/http/gateway/Engine"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Clients from "../auth/Clients.ts"
import type { Config } from "../config/Config.ts"
import type { ClientQuotas } from "../quota/ClientQuotas.ts"
import * as CostTable from "../quota/CostTable.ts"
import { Quotas } from "../quota/Quotas.ts"
import * as UpstreamClient from "../upstream/UpstreamClient.ts"
import type { Upstreams } from "../upstream/Upstreams.ts"
import * as PassThrough from "./PassThrough.ts"

export interface Configured {
  readonly config: Config
  readonly clients: Clients.ClientRegistry
  readonly clientQuotas: ClientQuotas
  readonly costs: CostTable.CostTable
  readonly passThrough: PassThrough.PassThroughRules
  readonly upstream: UpstreamClient.UpstreamClient
}

export class ActiveConfig extends Context.Tag("quarry-proxy/ActiveConfig")<ActiveConfig, {
  /** Returns the active configuration. A request evaluates this once. */
  readonly current: () => Configured
  /** Activates a configuration for new requests. Requests in flight complete with the previous one. */
  readonly replace: (config: Config) => Effect.Effect<void>
}>() {}

export const layer = (
  initial: Config
): Layer.Layer<ActiveConfig, never, Engine | HttpClient.HttpClient | Quotas | Upstreams> =>
  Layer.effect(
    ActiveConfig,
    Effect.gen(function*() {
      const context = yield* Effect.context<Engine | HttpClient.HttpClient | Upstreams>()
      const { clientQuotas } = yield* Quotas
      const configure = (config: Config): Effect.Effect<Configured> =>
        Effect.gen(function*() {
          const costs = CostTable.make(config)
          return {
            config,
            clients: Clients.make(config),
            clientQuotas: clientQuotas(config.quotas),
            costs,
            passThrough: PassThrough.make(config, costs),
            upstream: yield* Effect.provide(UpstreamClient.make(config, costs), context)
          }
        })
      let configured = yield* configure(initial)
      return {
        current: () => configured,
        replace: (config) =>
          Effect.map(configure(config), (next) => {
            configured = next
          })
      }
    })
  )
