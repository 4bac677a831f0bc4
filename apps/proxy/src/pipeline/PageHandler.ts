/** Renders a built-in page of the proxy from the active configuration. */
import type * as Effect from "effect/Effect"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { UpstreamEndpoints } from "../upstream/UpstreamClient.ts"

export type PageHandler = (
  endpoints: UpstreamEndpoints,
  shuttingDown: boolean
) => Effect.Effect<ProxyResponse>
