/** Liveness and readiness. */
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import type * as Engine from "@blockquarry/http/Engine"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Rec from "effect/Record"
import * as ProxyResponse from "../exchange/ProxyResponse.ts"
import type { UpstreamClient } from "../upstream/UpstreamClient.ts"

export const liveResponse: ProxyResponse.ProxyResponse = ProxyResponse.json(200, { status: "live" })

export type ReadinessState = "ready" | "shutting-down" | "not configured"

type Upstreams = Pick<UpstreamClient, "resolve">

/** Each upstream, or why it is not configured. */
const resolveAll = ({ resolve }: Upstreams) => Rec.map(baseUrlSettings, (_, name) => resolve(name))

export const readinessState = (upstreams: Upstreams, shuttingDown: boolean): ReadinessState => {
  if (shuttingDown) return "shutting-down"
  return Object.values(resolveAll(upstreams)).some(Either.isRight) ? "ready" : "not configured"
}

/**
 * Returns the response of a readiness probe, with the state of the circuit breakers, and which settings are missing. A
 * probe sends no upstream request, because requests cost units. A failing upstream does not make the proxy unready: all
 * proxies would become unready at once, and cached responses unavailable.
 */
export const readyResponse = (
  upstreams: Upstreams,
  { health }: Pick<Engine.EngineService, "health">,
  shuttingDown: boolean
): Effect.Effect<ProxyResponse.ProxyResponse> =>
  Effect.map(health, (upstreamHealth) => {
    const status = readinessState(upstreams, shuttingDown)
    const resolved = resolveAll(upstreams)
    return ProxyResponse.json(status === "ready" ? 200 : 503, {
      status,
      configured: Rec.map(resolved, Either.isRight),
      missing: Rec.map(Rec.getLefts(resolved), ({ message }) => message),
      upstream: Object.fromEntries(upstreamHealth.map(({ breaker, host }) => [host, breaker]))
    })
  })
