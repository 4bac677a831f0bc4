/** Liveness and readiness. */
import type { Engine } from "@blockquarry/http/Gateway"
import * as Effect from "effect/Effect"
import * as Rec from "effect/Record"
import * as ProxyResponse from "../exchange/ProxyResponse.ts"
import type { UpstreamEndpoints } from "../upstream/UpstreamClient.ts"

export const liveResponse: ProxyResponse.ProxyResponse = ProxyResponse.json(200, { status: "live" })

export type ReadinessState = "ready" | "shutting-down" | "not configured"

/** Whether each upstream has a base URL and an API key. */
const configuredUpstreams = ({ baseUrls, keys }: UpstreamEndpoints): { readonly [name: string]: boolean } =>
  Rec.map(baseUrls, (baseUrl, name) => baseUrl !== undefined && keys[name].length > 0)

/** Returns the readiness: at least one upstream is configured, and the proxy is not shutting down. */
export const readinessState = (endpoints: UpstreamEndpoints, shuttingDown: boolean): ReadinessState => {
  if (shuttingDown) return "shutting-down"
  return Object.values(configuredUpstreams(endpoints)).includes(true) ? "ready" : "not configured"
}

/**
 * Returns the response of a readiness probe, with the state of the circuit breakers. A probe sends no upstream request,
 * because requests cost units. A failing upstream does not make the proxy unready: all proxies would become unready at
 * once, and cached responses unavailable.
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
