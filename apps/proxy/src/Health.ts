/** Whether the process lives, and whether it is worth sending requests to. */
import * as Names from "@blockquarry/http/Settings"
import * as Effect from "effect/Effect"
import * as Reply from "./Reply.ts"
import { Upstream } from "./Upstream.ts"

export const live: Reply.Reply = Reply.json(200, { status: "live" })

/**
 * Ready is a proxy that has a key and at least one address, and that is not about to stop. It says which settings
 * are there, never what they are, and asks the service nothing: a probe must not cost units.
 */
export const ready = (draining: boolean): Effect.Effect<Reply.Reply, never, Upstream> =>
  Effect.map(Upstream, ({ configured }) => {
    const { [Names.apiKey]: key, ...addresses } = configured
    const status = draining
      ? "stopping"
      : key && Object.values(addresses).includes(true)
      ? "ready"
      : "not configured"
    return Reply.json(status === "ready" ? 200 : 503, { status, configured })
  })
