/** Whether the process lives, and whether it is worth sending requests to. */
import type { EngineService } from "@blockquarry/http/Engine"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Reply from "./Reply.ts"
import type { Service } from "./Upstream.ts"

export const live: Reply.Reply = Reply.json(200, { status: "live" })

export type State = "ready" | "stopping" | "not configured"

/** Which addresses are set and have a key. */
const configured = ({ addresses, keys }: Service): { readonly [name: string]: boolean } =>
  Record.map(addresses, (address, name) => address !== undefined && keys[name].length > 0)

/** Ready is a proxy that has an address with a key, and that is not about to stop. */
export const state = (service: Service, draining: boolean): State => {
  if (draining) return "stopping"
  return Object.values(configured(service)).includes(true) ? "ready" : "not configured"
}

/**
 * A probe asks the service nothing, for that would cost units; it says how the service was doing when it was asked
 * last. A service that fails makes no proxy unready: there would be none left to give the answers that are kept.
 */
export const ready = (
  service: Service,
  { report }: Pick<EngineService, "report">,
  draining: boolean
): Effect.Effect<Reply.Reply> =>
  Effect.map(report, (reports) => {
    const status = state(service, draining)
    const upstream = Object.fromEntries(reports.map(({ base, breaker }) => [base, breaker]))
    return Reply.json(status === "ready" ? 200 : 503, { status, configured: configured(service), upstream })
  })
