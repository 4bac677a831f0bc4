/** Renders a built-in page of the proxy from the active configuration. */
import type * as Effect from "effect/Effect"
import type { Config } from "../config/Config.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { UpstreamClient } from "../upstream/UpstreamClient.ts"

/** The parts of the active configuration that pages show. */
interface PageContext {
  readonly config: Pick<Config, "costs">
  readonly upstream: Pick<UpstreamClient, "resolve">
}

export type PageHandler = (
  activeConfig: PageContext,
  shuttingDown: boolean
) => Effect.Effect<ProxyResponse>
