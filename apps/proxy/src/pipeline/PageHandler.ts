/** Renders a built-in page of the proxy from the active configuration. */
import type * as Effect from "effect/Effect"
import type { ClientRegistry } from "../auth/Clients.ts"
import type { Config } from "../config/Config.ts"
import type { ProxyError } from "../exchange/ProxyError.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { UpstreamClient } from "../upstream/UpstreamClient.ts"

/** The parts of the active configuration that pages use. */
interface PageContext {
  readonly clients: Pick<ClientRegistry, "checkHost">
  readonly config: Pick<Config, "costs">
  readonly upstream: Pick<UpstreamClient, "resolve">
}

export type PageHandler = (
  activeConfig: PageContext,
  request: Pick<ProxyRequest, "headers" | "shuttingDown">
) => Effect.Effect<ProxyResponse, ProxyError>
