/** The built-in pages of the proxy, rendered from the active configuration. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ProxyError } from "../exchange/ProxyError.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import type { Configured } from "./ActiveConfig.ts"

export type PageHandler = (
  configured: Configured,
  request: Pick<ProxyRequest, "headers" | "shuttingDown">
) => Effect.Effect<ProxyResponse, ProxyError>

export class Pages extends Context.Tag("quarry-proxy/Pages")<Pages, ReadonlyMap<string, PageHandler>>() {}
