/** Whether the process lives, and whether it is worth sending requests to. */
import type { Engine } from "@blockquarry/http/Gateway"
import * as Effect from "effect/Effect"
import * as Rec from "effect/Record"
import * as ProxyResponse from "../exchange/ProxyResponse.ts"
import type { UpstreamEndpoints } from "../upstream/UpstreamClient.ts"

export const liveResponse: ProxyResponse.ProxyResponse = ProxyResponse.json(200, { status: "live" })

export type ReadinessState = "ready" | "stopping" | "not configured"

/** Which addresses are set and have a key. */
const configuredUpstreams = ({ baseUrls, keys }: UpstreamEndpoints): { readonly [name: string]: boolean } =>
  Rec.map(baseUrls, (baseUrl, name) => baseUrl !== undefined && keys[name].length > 0)

/** Ready is a proxy that has an address with a key, and that is not about to stop. */
export const readinessState = (endpoints: UpstreamEndpoints, shuttingDown: boolean): ReadinessState => {
  if (shuttingDown) return "stopping"
  return Object.values(configuredUpstreams(endpoints)).includes(true) ? "ready" : "not configured"
}

/**
 * A probe asks the service nothing, for that would cost units; it says how the service was doing when it was asked
 * last. A service that fails makes no proxy unready: there would be none left to give the answers that are kept.
 */
export const readyResponse = (
  endpoints: UpstreamEndpoints,
  { health }: Pick<Engine.EngineService, "health">,
  shuttingDown: boolean
): Effect.Effect<ProxyResponse.ProxyResponse> =>
  Effect.map(health, (upstreamHealth) => {
    const status = readinessState(endpoints, shuttingDown)
    const upstream = Object.fromEntries(upstreamHealth.map(({ breaker, host }) => [host, breaker]))
    return ProxyResponse.json(status === "ready" ? 200 : 503, {
      status,
      configured: configuredUpstreams(endpoints),
      upstream
    })
  })
