/** The proxy's own pages, beside the service's paths. They hold nothing that is anybody's, and no token is asked for. */
import { all } from "@blockquarry/core/operations/index"
import type { EngineService } from "@blockquarry/http/Engine"
import type { Examples } from "@blockquarry/sandbox/Ledger"
import * as Effect from "effect/Effect"
import * as Health from "./Health.ts"
import * as OpenApi from "./OpenApi.ts"
import * as DocsPage from "./Pages/DocsPage.ts"
import * as Reply from "./Reply.ts"
import * as Router from "./Router.ts"
import type { Service } from "./Upstream.ts"

export type Page = (service: Service, draining: boolean) => Effect.Effect<Reply.Reply>

/** By path. Each is made when somebody asks for the first time. */
export const make = (
  engine: EngineService,
  examples: Examples | undefined
): ReadonlyMap<string, Page> => {
  const fixed = (make: () => Reply.Reply): Page => {
    let made: Reply.Reply | undefined
    return () => Effect.sync(() => made ??= make())
  }
  return new Map([
    ["/", fixed(index)],
    ["/livez", fixed(() => Health.live)],
    ["/readyz", (service, draining) => Health.ready(service, engine, draining)],
    ["/openapi.json", fixed(() => Reply.json(200, OpenApi.document()))],
    ["/docs", fixed(() => DocsPage.reply({ examples }))]
  ])
}

const index = (): Reply.Reply =>
  Reply.json(200, {
    name: "quarry-proxy",
    documentation: ["/docs", "/openapi.json"],
    health: ["/livez", "/readyz"],
    operations: all.map((operation) => ({
      operation: operation.id,
      path: `${operation.method} ${Router.prefixes(operation)[0]}${operation.path}`,
      summary: operation.docs.summary
    }))
  })
