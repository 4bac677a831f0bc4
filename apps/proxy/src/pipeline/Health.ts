/** Liveness and readiness. */
import { baseUrlSettings } from "@blockquarry/core/Upstreams"
import { type EngineService, upstreamHealth } from "@blockquarry/http/gateway/Engine"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Rec from "effect/Record"
import type { Overrides } from "../auth/Overrides.ts"
import { allowsAnonymousClients } from "../config/Config.ts"
import type { UpstreamClient } from "../upstream/UpstreamClient.ts"
import type { Configured } from "./ActiveConfig.ts"

export const liveResponse: HttpResponse.HttpResponse = HttpResponse.json(200, { status: "live" })

/** `waiting for redis`: whether clients are disabled is not known yet. */
export type ReadinessState = "ready" | "draining" | "shutting-down" | "not configured" | "waiting for redis"

/** Each upstream, or why it is not configured. */
const resolveAll = ({ resolve }: Pick<UpstreamClient, "resolve">) =>
  Rec.map(baseUrlSettings, (_, name) => resolve(name))

export const readinessState = (
  { config, upstream }: Pick<Configured, "config" | "upstream">,
  overrides: Overrides["Type"],
  shuttingDown: boolean
): ReadinessState => {
  if (shuttingDown) return "shutting-down"
  if (overrides.isDraining()) return "draining"
  if (!overrides.isLoaded() && !allowsAnonymousClients(config)) return "waiting for redis"
  return Object.values(resolveAll(upstream)).some(Either.isRight) ? "ready" : "not configured"
}

/**
 * Returns the response of a readiness probe, with the state of the circuit breakers, and which settings are missing. A
 * probe sends no upstream request, because requests cost units. A failing upstream does not make the proxy unready: all
 * proxies would become unready at once, and cached responses unavailable.
 */
export const readyResponse = (
  configured: Pick<Configured, "config" | "upstream">,
  overrides: Overrides["Type"],
  engine: Pick<EngineService, "admission">,
  shuttingDown: boolean
): Effect.Effect<HttpResponse.HttpResponse> =>
  Effect.map(upstreamHealth(engine), (upstreams) => {
    const status = readinessState(configured, overrides, shuttingDown)
    const resolved = resolveAll(configured.upstream)
    return HttpResponse.json(status === "ready" ? 200 : 503, {
      status,
      configured: Rec.map(resolved, Either.isRight),
      missing: Rec.map(Rec.getLefts(resolved), ({ message }) => message),
      upstream: Object.fromEntries(upstreams.map(({ breaker, host }) => [host, breaker]))
    })
  })
