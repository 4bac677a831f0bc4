/** The quotas and limits of clients. What they count survives reloads of the configuration. */
import * as SteadyClock from "@blockquarry/http/gateway/SteadyClock"
import { RateLimitStore } from "@blockquarry/http/RateLimitStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type { Config } from "../config/Config.ts"
import * as ClientLimits from "./ClientLimits.ts"
import * as ClientQuotas from "./ClientQuotas.ts"
import * as RejectionPace from "./RejectionPace.ts"
import * as RequestTurns from "./RequestTurns.ts"

export class Quotas extends Context.Tag("quarry-proxy/Quotas")<Quotas, {
  readonly clientQuotas: (config: Config["quotas"]) => ClientQuotas.ClientQuotas
  readonly limits: ClientLimits.ClientLimits
  readonly rejections: RejectionPace.RejectionPace
  readonly turns: RequestTurns.RequestTurns
}>() {}

export const layer: Layer.Layer<Quotas, never, RateLimitStore> = Layer.effect(
  Quotas,
  Effect.map(
    Effect.all([RateLimitStore, SteadyClock.current, Effect.runtime()]),
    ([store, clock, runtime]) => ({
      clientQuotas: (config) => ClientQuotas.make(config, store, clock, Runtime.runFork(runtime)),
      limits: ClientLimits.make(),
      rejections: RejectionPace.make(),
      turns: RequestTurns.make()
    })
  )
)
