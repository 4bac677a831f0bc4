/**
 * Processes a request: route, authenticate, parse, charge, cache or upstream, respond.
 *
 * Each stage runs once, in this order. Its effect is complete already unless something must be waited for: a body, quotas,
 * a store in Redis, the upstream, or compression.
 */
import * as Completed from "@blockquarry/server/Completed"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Clients from "../auth/Clients.ts"
import * as Cors from "../auth/Cors.ts"
import * as CrossSite from "../auth/CrossSite.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import * as ClientLimits from "../quota/ClientLimits.ts"
import * as RenderResponse from "../response/RenderResponse.ts"
import type { CacheDirective, Lookup, UpstreamRequest, UpstreamResponse } from "../upstream/UpstreamClient.ts"
import { acquireSlot, type HandledRequest } from "./HandledRequest.ts"
import * as ListStream from "./ListStream.ts"
import * as ParseRequest from "./ParseRequest.ts"
import * as PassThrough from "./PassThrough.ts"
import * as RequestBody from "./RequestBody.ts"
import * as Router from "./Router.ts"

type RequestHeaders = HandledRequest["request"]["headers"]

type Response = Effect.Effect<HttpResponse.HttpResponse, ProxyError.ProxyError>

/** Continues with the result of a stage that needs no effect. */
const whenRight = <A>(
  result: Either.Either<A, ProxyError.ProxyError>,
  next: (value: A) => Response
): Response => Either.isRight(result) ? next(result.right) : Effect.fail(result.left)

/** Responds to a request, and records in the context what the access log needs. */
export const respond = (handled: HandledRequest): Response => {
  const { configured, request: { method, target }, services } = handled
  if (target.length > configured.config.limits.maxUrlBytes) return Effect.fail(ProxyError.uriTooLong)
  const parsed = method === "GET" ? services.parsedRequests.get(target) : undefined
  if (parsed !== undefined) {
    return whenRight(
      authorize(handled, parsed.operation.id, parsed.route),
      (client) => callUpstream(handled, client, parsed)
    )
  }
  if (target === "*" && method === "OPTIONS") {
    return Effect.succeed(HttpResponse.empty(204, { allow: "GET, HEAD, POST, OPTIONS" }))
  }
  return whenRight(Router.parseTarget(target), (requestTarget) => route(handled, requestTarget))
}

const route = (handled: HandledRequest, { path, query }: Router.RequestTarget): Response => {
  const { configured, context, request, services: { encodedBodies, pages } } = handled
  const { headers, method } = request
  const page = pages.get(path)
  if (page !== undefined) {
    RequestContext.learn(context, { route: path })
    const rendered = () =>
      Effect.flatMap(
        page(configured, request),
        (response) => RenderResponse.renderPage(response, headers, encodedBodies)
      )
    return Router.respondToMethod(method, "GET", rendered)
  }
  const isList = path.startsWith(`${ListStream.listPrefix}/`)
  const match = Router.findRoute(isList ? path.slice(ListStream.listPrefix.length) : path)
  if (match === undefined) {
    const { clients: { cors }, passThrough: { methodsOf } } = configured
    if (cors === undefined || !Cors.isPreflight(request)) return passThrough(handled, { path, query })
    // A browser shows the error of the request itself only after a preflight without one.
    const methods = cors.allowsOrigin(headers["origin"] ?? "", null) ? methodsOf(path).join(", ") : ""
    return Effect.succeed(HttpResponse.empty(204, methods === "" ? {} : { allow: `${methods}, OPTIONS` }))
  }
  const { operation } = match
  const routeName = isList ? ListStream.listPrefix + match.route : match.route
  // Also for methods that are not allowed, so that the access log names the client.
  const authorized = authorize(handled, operation.id, routeName)
  const respondTo = () =>
    whenRight(authorized, (client) => {
      if (isList) return streamList(handled, client, match, query)
      return operation.method === "POST"
        ? Effect.flatMap(
          readBody(handled, client, RequestBody.parse),
          (body) => parseAndCall(handled, client, match, query, body ?? undefined)
        )
        : parseAndCall(handled, client, match, query, undefined)
    })
  return Router.respondToMethod(method, operation.method, respondTo)
}

/** Forwards a request that no operation describes, if a rule permits it. */
const passThrough = (handled: HandledRequest, target: Router.RequestTarget): Response => {
  const { configured, context, request } = handled
  return whenRight(
    authenticate(handled),
    (client) =>
      whenRight(configured.passThrough.find(request.method, target.path, client), (found) => {
        RequestContext.learn(context, { route: found.route, operation: found.operation.id })
        const call = (body: string | null) =>
          callUpstream(handled, client, PassThrough.requestOf(found, target, body))
        return found.operation.method === "GET"
          ? call(null)
          : Effect.flatMap(readBody(handled, client, RequestBody.parseText), call)
      })
  )
}

const authenticate = (
  { client, context, services: { overrides } }: HandledRequest
): Either.Either<Clients.AuthenticatedClient, ProxyError.ProxyError> => {
  if (Either.isLeft(client)) return client
  RequestContext.learn(context, { client: client.right.name })
  const rejection = overrides.rejectionOf(client.right.name)
  return rejection === null ? client : Either.left(rejection)
}

/** Authenticates and authorizes the client. Precedes parsing, cache lookups and upstream requests. */
const authorize = (
  handled: HandledRequest,
  operationId: string,
  route: string
): Either.Either<Clients.AuthenticatedClient, ProxyError.ProxyError> => {
  RequestContext.learn(handled.context, { route, operation: operationId })
  const client = authenticate(handled)
  return Either.isLeft(client) || client.right.scopes.has(operationId)
    ? client
    : Either.left(Clients.insufficientScope(operationId))
}

const parseAndCall = (
  handled: HandledRequest,
  client: Clients.AuthenticatedClient,
  match: Router.RouteMatch,
  query: Router.RequestTarget["query"],
  body: object | undefined
): Response =>
  whenRight(
    ParseRequest.parseRequest(match, query, body, handled.configured.config.validation),
    (upstreamRequest) => callUpstream(handled, client, upstreamRequest)
  )

/** Responds from the cache or the upstream. Request headers of the client are not forwarded. */
const callUpstream = (
  handled: HandledRequest,
  client: Clients.AuthenticatedClient,
  upstreamRequest: UpstreamRequest
): Response => {
  const { configured: { clientQuotas, clients, config, costs, upstream }, context, request, services } =
    handled
  const { encodedBodies, now, parsedRequests, quotas } = services
  const { headers, method, target } = request
  const { operation } = upstreamRequest
  const refusal = upstreamRequest.passThrough === undefined
    ? client.restrictions?.(upstreamRequest)
    : undefined
  if (refusal) return Effect.fail(refusal)
  const { cacheDirective, ignoresNoCache } = ParseRequest.parseCacheDirective(headers, client, config)
  const usesCache = config.cache.enabled && cacheDirective !== "no-store" && operation.method === "GET"
  if (cacheDirective === "only-if-cached" && !usesCache) return Effect.fail(ProxyError.notCached)
  const cost = costs.ofRequest(upstreamRequest)
  quotas.turns.recordRequest(client.name, now())
  const callClient = ClientLimits.toCallClient(client, config)
  const memory = quotas.limits.memoryOf(client.name, config)
  const holdBody = (bytes: number) => context.hold.holdBody(memory, bytes)
  const charge = clientQuotas.acquire(client, cost, now())
  const upstreamResponse = context.ledger.reserving(context.facts, charge, (reservation) => {
    const caller = { client: callClient, memory, requestId: context.requestId, reservation }
    const directive = usesCache ? cacheDirective : "no-store"
    const cacheMode = directive === "only-if-cached" ? "default" : directive
    const found = upstream.lookUp(upstreamRequest, cacheMode, caller, now())
    const response = found._tag === "Hit"
      ? Effect.succeed(found.response)
      : fetch(handled, found, directive, client.name)
    return Completed.flatMap(
      response,
      (found) =>
        holdBody(found.response.bytes.byteLength) ? Effect.succeed(found) : Effect.fail(memory.error())
    )
  })
  return Completed.flatMap(upstreamResponse, (found) => {
    RequestContext.learn(context, { cache: RenderResponse.cacheStateOf(found, usesCache) })
    // A stale response saves no cost, because it causes an upstream request as well.
    context.ledger.saved = found.source === "cache" || found.coalesced ? cost.price : 0
    // Requests that do not repeat would only fill the memory.
    if (found.source === "cache" && method === "GET" && upstreamRequest.passThrough === undefined) {
      ParseRequest.remember(parsedRequests, target, upstreamRequest)
    }
    const rendered = RenderResponse.render(
      {
        ...found,
        cacheDirective,
        ignoresNoCache,
        usesCache,
        now: now(),
        method: operation.method,
        isOpaque: upstreamRequest.passThrough !== undefined,
        upstream: config.upstream,
        allowsNotModified: clients.cors?.hidesFrom(headers, client.name) !== true
      },
      headers,
      encodedBodies
    )
    // The encoded body is smaller, or the response has none.
    return Completed.flatMap(
      rendered,
      (response) =>
        !(response.body instanceof Uint8Array) || holdBody(response.body.byteLength)
          ? Effect.succeed(response)
          : Effect.fail(memory.error())
    )
  })
}

/** Responds from the upstream, or from a cache entry that is stale or not in memory. */
const fetch = (
  handled: HandledRequest,
  { find, send }: Extract<Lookup, { readonly _tag: "Miss" }>,
  cacheDirective: CacheDirective,
  client: string
): Effect.Effect<UpstreamResponse, ProxyError.ProxyError> => {
  const { services: { now, quotas } } = handled
  const cached = Effect.filterOrFail(find, Predicate.isNotNull, () => ProxyError.notCached)
  if (cacheDirective === "only-if-cached") return cached
  // After the wait for the client's quotas, which must not use a slot that clients share.
  const slot = acquireSlot(handled, client, "request")
  if (Either.isRight(slot)) return Completed.flatMap(quotas.turns.start(client, now()), () => send)
  return cacheDirective === "default" ? Effect.mapError(cached, () => slot.left) : Effect.fail(slot.left)
}

/** Responds with a streaming list. The cursor may be a resume cursor of the proxy, which the upstream does not know. */
const streamList = (
  handled: HandledRequest,
  client: Clients.AuthenticatedClient,
  match: Router.RouteMatch,
  query: Router.RequestTarget["query"]
): Response =>
  whenRight(
    ParseRequest.parseRequest(
      match,
      query.filter(([name]) => name !== "cursor" && name !== "end"),
      undefined,
      handled.configured.config.validation
    ),
    (upstreamRequest) => {
      const refusal = client.restrictions?.(upstreamRequest)
      if (refusal) return Effect.fail(refusal)
      const [cursor, secondCursor] = query.flatMap(([name, value]) =>
        name === "cursor" && value !== "" ? [value] : []
      )
      if (secondCursor !== undefined) return Effect.fail(multipleCursors)
      const [end = "true", secondEnd] = query.flatMap(([name, value]) => name === "end" ? [value] : [])
      const endLine = end === "true"
      if (secondEnd !== undefined || !endLine && end !== "false") return Effect.fail(invalidEnd)
      const { configured: { config }, request: { headers } } = handled
      const cacheMode = ParseRequest.parseCacheDirective(headers, client, config).cacheDirective
      // It is unknown in advance whether all pages are cached.
      if (cacheMode === "only-if-cached") return Effect.fail(ProxyError.notCached)
      return ListStream.streamList({ handled, client, upstreamRequest, cursor, endLine, cacheMode })
    }
  )

const multipleCursors = ProxyError.make(
  "invalid-request",
  "cursor: expected at most one value: the cursor of the last line of a list"
)

const invalidEnd = ProxyError.make(
  "invalid-request",
  "end: expected true or false, at most once: whether a complete list ends with the line {\"end\":…}"
)

/** Reads and parses a body. Meanwhile the request counts for its client, which may send it slowly. */
const readBody = <A>(
  { configured: { clients, config }, request, services: { quotas } }: HandledRequest,
  { name }: Clients.AuthenticatedClient,
  parse: (bytes: Uint8Array, headers: RequestHeaders) => Effect.Effect<A, ProxyError.ProxyError>
): Effect.Effect<A | null, ProxyError.ProxyError> => {
  const allowsOrigin = (origin: string) => clients.cors?.allowsOrigin(origin, name) === true
  const { headers, method } = request
  const hasContent = method === "POST" || RequestBody.isSent(headers)
  return Effect.zipRight(
    CrossSite.checkWriteRequest(headers, allowsOrigin, hasContent),
    hasContent
      ? Effect.acquireUseRelease(
        Effect.suspend(() => quotas.limits.acquire(name, "request", config)),
        () => RequestBody.read(request, config.limits.maxRequestBytes),
        (release) => Effect.sync(release)
      ).pipe(Effect.flatMap((bytes) => parse(bytes, headers)))
      : Effect.succeed(null)
  )
}
