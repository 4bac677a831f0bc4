/** A request with everything that the stages of the pipeline use. */
import { Engine, type EngineService } from "@blockquarry/http/gateway/Engine"
import type { HttpRequest } from "@blockquarry/server/HttpRequest"
import type { HttpResponse } from "@blockquarry/server/HttpResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { AuthenticatedClient } from "../auth/Clients.ts"
import { Jwt } from "../auth/Jwt.ts"
import { Overrides } from "../auth/Overrides.ts"
import { Usage } from "../exchange/AccessLogEntry.ts"
import type * as ProxyError from "../exchange/ProxyError.ts"
import type { RequestContext } from "../exchange/RequestContext.ts"
import { Quotas } from "../quota/Quotas.ts"
import * as EncodedBodies from "../response/EncodedBodies.ts"
import { ActiveConfig, type Configured } from "./ActiveConfig.ts"
import * as ParseRequest from "./ParseRequest.ts"

/** Renders a built-in page from the active configuration. */
export type PageHandler = (
  configured: Configured,
  request: Pick<HttpRequest, "headers" | "shuttingDown">
) => Effect.Effect<HttpResponse, ProxyError.ProxyError>

/** The built-in pages by path. */
export class Pages extends Context.Tag("quarry-proxy/Pages")<Pages, ReadonlyMap<string, PageHandler>>() {}

/** What handles requests: resolved once, when the request handler is built. It survives reloads. */
export interface RequestServices {
  readonly now: () => number
  readonly activeConfig: ActiveConfig["Type"]
  readonly engine: EngineService
  readonly identify: Jwt["Type"]
  readonly overrides: Overrides["Type"]
  readonly pages: Pages["Type"]
  readonly quotas: Quotas["Type"]
  readonly usage: Usage["Type"]
  readonly encodedBodies: EncodedBodies.EncodedBodies
  readonly parsedRequests: ParseRequest.ParsedRequests
}

export const resolveServices = Effect.gen(function*() {
  const clock = yield* Effect.clock
  const services: RequestServices = {
    now: () => clock.unsafeCurrentTimeMillis(),
    activeConfig: yield* ActiveConfig,
    engine: yield* Engine,
    identify: yield* Jwt,
    overrides: yield* Overrides,
    pages: yield* Pages,
    quotas: yield* Quotas,
    usage: yield* Usage,
    encodedBodies: EncodedBodies.make(),
    parsedRequests: ParseRequest.makeParsedRequests()
  }
  return services
})

export interface HandledRequest {
  readonly services: RequestServices
  readonly configured: Configured
  readonly request: HttpRequest
  /** Its client, or why it is not authenticated. */
  readonly client: Either.Either<AuthenticatedClient, ProxyError.ProxyError>
  readonly context: RequestContext
}

/**
 * Counts a request, or a whole list, until its response is handed over to the socket. Fails if the client exceeds a limit:
 * then the request must not use the upstream.
 */
export const acquireSlot = (
  { configured: { config }, context, services: { quotas } }: HandledRequest,
  client: string,
  kind: "request" | "list"
): Either.Either<void, ProxyError.ProxyError> =>
  Either.map(
    quotas.limits.acquire(client, kind, config),
    (release) => context.hold.releaseOnHandOver(release)
  )
