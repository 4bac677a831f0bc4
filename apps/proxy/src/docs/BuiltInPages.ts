/** Pages of the proxy itself. They contain no client data and require no token. */
import { allOperations } from "@blockquarry/core/Operations"
import { Engine } from "@blockquarry/http/gateway/Engine"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Overrides } from "../auth/Overrides.ts"
import type { Configured } from "../pipeline/ActiveConfig.ts"
import { type PageHandler, Pages } from "../pipeline/HandledRequest.ts"
import * as Health from "../pipeline/Health.ts"
import * as Router from "../pipeline/Router.ts"
import * as OpenApiDocument from "./openapi/OpenApiDocument.ts"

/**
 * The pages by path. A document is rendered on its first request, and again if the configuration was reloaded.
 *
 * With anonymous access, documents require an allowed `Host`, like operations, so that a web page of another site cannot read
 * them through DNS rebinding. Probes do not: load balancers choose their `Host`.
 */
export const layer: Layer.Layer<Pages, never, Engine | Overrides> = Layer.effect(
  Pages,
  Effect.map(Effect.all([Engine, Overrides]), ([engine, overrides]): ReadonlyMap<
    string,
    PageHandler
  > =>
    new Map([
      ["/", documentPage(index)],
      ["/livez", () => Effect.succeed(Health.liveResponse)],
      ["/readyz", (configured, { shuttingDown }) =>
        Health.readyResponse(configured, overrides, engine, shuttingDown)],
      [
        "/openapi.json",
        documentPage(({ costs }) =>
          HttpResponse.json(200, OpenApiDocument.document(costs))
        )
      ]
    ]))
)

const documentPage = (render: (configured: Configured) => HttpResponse.HttpResponse): PageHandler => {
  const rendered = new WeakMap<Configured, HttpResponse.HttpResponse>()
  return (configured, { headers }) =>
    Effect.suspend(() =>
      Either.map(configured.clients.checkHost(headers), () => {
        const page = rendered.get(configured) ?? render(configured)
        rendered.set(configured, page)
        return page
      })
    )
}

const index = (): HttpResponse.HttpResponse =>
  HttpResponse.json(200, {
    name: "quarry-proxy",
    documentation: ["/openapi.json"],
    health: ["/livez", "/readyz"],
    operations: allOperations.map((operation) => ({
      operation: operation.id,
      path: `${operation.method} ${Router.prefixes(operation)[0]}${operation.path}`,
      summary: operation.docs.summary
    }))
  })
