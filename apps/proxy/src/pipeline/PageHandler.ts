/** A page of the proxy itself, made from what is configured now. */
import type * as Effect from "effect/Effect"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { UpstreamEndpoints } from "../upstream/UpstreamClient.ts"

export type PageHandler = (
  endpoints: UpstreamEndpoints,
  shuttingDown: boolean
) => Effect.Effect<ProxyResponse>
