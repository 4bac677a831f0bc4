/** Processes a request: routing, authentication, parsing, quotas, upstream or cache, response. */
import { CallClient, type Engine } from "@blockquarry/http/Gateway"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Clients from "../auth/Clients.ts"
import * as CrossSite from "../auth/CrossSite.ts"
import * as CacheDirective from "../exchange/CacheDirective.ts"
import { costOf } from "../exchange/Charge.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import * as ProxyResponse from "../exchange/ProxyResponse.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import { charged } from "../quota/Charging.ts"
import * as ClientLimits from "../quota/ClientLimits.ts"
import type { ResponseMemory } from "../quota/ResponseMemory.ts"
import * as CacheStatus from "../response/CacheStatus.ts"
import type { EncodedBodies } from "../response/EncodedBodies.ts"
import * as RenderResponse from "../response/RenderResponse.ts"
import type { ActiveConfig } from "./ActiveConfig.ts"
import * as ListStream from "./ListStream.ts"
import * as ParseRequest from "./ParseRequest.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RequestTarget from "./RequestTarget.ts"
import * as Router from "./Router.ts"
import type { SharedState } from "./SharedState.ts"

/** Responds to a request, and records in the context what the access log needs. */
export const respond = (
  { responseMemory, clientLimits, encodedBodies, engine, pages }: SharedState,
  activeConfig: ActiveConfig,
  request: ProxyRequest,
  context: RequestContext.RequestContext
): Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError> =>
  Effect.suspend(() => {
    const { method, target } = request
    if (target === "*" && method === "OPTIONS") {
      return Effect.succeed(ProxyResponse.empty(204, { allow: "GET, HEAD, POST, OPTIONS" }))
    }
    if (target.length > activeConfig.config.limits.maxUrlBytes) return Effect.fail(ProxyError.uriTooLong)
    return Effect.flatMap(RequestTarget.parseTarget(target), ({ path, query }) => {
      const page = pages.get(path)
      if (page !== undefined) {
        context.route = path
        return Router.respondToMethod(
          method,
          "GET",
          Effect.flatMap(
            page(activeConfig, request),
            (response) => RenderResponse.renderPage(response, request.headers, encodedBodies, true)
          )
        )
      }
      const isListPath = path.startsWith(ListStream.listPrefix)
      const match = Router.findRoute(isListPath ? path.slice(ListStream.listPrefix.length - 1) : path)
      if (match === undefined) return Effect.fail(ProxyError.unknownPath)
      context.route = isListPath ? ListStream.listPrefix + match.route.slice(1) : match.route
      context.operation = match.operation.id
      const operationRequest: OperationRequest = {
        activeConfig,
        responseMemory,
        clientLimits,
        encodedBodies,
        engine,
        request,
        context,
        match,
        query
      }
      return Router.respondToMethod(
        method,
        match.operation.method,
        Effect.flatMap(authorize(operationRequest), (client) =>
          isListPath ? streamList(operationRequest, client) : callUpstream(operationRequest, client))
      )
    })
  })

/** A request that matches the route of an operation. */
interface OperationRequest {
  readonly activeConfig: ActiveConfig
  readonly responseMemory: ResponseMemory
  readonly clientLimits: ClientLimits.ClientLimits
  readonly encodedBodies: EncodedBodies
  readonly engine: Engine.EngineService
  readonly request: ProxyRequest
  readonly context: RequestContext.RequestContext
  readonly match: Router.RouteMatch
  readonly query: RequestTarget.RequestTarget["query"]
}

/** Authenticates and authorizes the client. Precedes parsing, cache lookups and upstream requests. */
const authorize = (
  { activeConfig, match: { operation }, context, request }: OperationRequest
): Either.Either<Clients.AuthenticatedClient, ProxyError.ProxyError> =>
  Either.flatMap(activeConfig.clients.authenticate(request), (client) => {
    context.client = client.name
    return Clients.isAllowed(client, operation.id)
      ? Either.right(client)
      : Either.left(Clients.insufficientScope(operation.id))
  })

/** Responds from the cache or the upstream. Request headers of the client are not forwarded. */
const callUpstream = (
  operationRequest: OperationRequest,
  client: Clients.AuthenticatedClient
): Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError> =>
  Effect.gen(function*() {
    const {
      responseMemory,
      encodedBodies,
      activeConfig: { quotas, config, parsedRequests, upstream },
      match,
      context,
      query,
      request
    } = operationRequest
    const { operation } = match
    const body = operation.method === "POST"
      ? yield* readBody(request, config.limits.maxRequestBytes)
      : undefined
    const upstreamRequest = yield* ParseRequest.parseRequest(match, query, body)
    if (operation.method === "GET") parsedRequests.set(request.target, upstreamRequest)
    const cacheDirective = CacheDirective.parseCacheDirective(
      request.headers["cache-control"],
      request.headers["pragma"]
    )
    const usesCache = config.cache.enabled && cacheDirective !== "no-store" && operation.method === "GET"
    if (cacheDirective === "only-if-cached" && !usesCache) return yield* Effect.fail(ProxyError.notCached)
    const cost = costOf(config, operation)
    const callClient = ClientLimits.toCallClient(client, config)
    const memory = responseMemory.memoryOf(callClient)
    const upstreamResponse = yield* charged({ client, context, cost, quotas }, (onSent) => {
      const execute = (directive: CacheDirective.CacheDirective) =>
        upstream.execute(upstreamRequest, directive, {
          onSent,
          onUsage: (usage) => RequestContext.recordUsage(context, usage)
        })
      // After the wait for the client's quotas, which must not use a slot that clients share.
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (!usesCache || cacheDirective === "reload") {
          return Effect.zipRight(
            acquireSlot(operationRequest, client, "request"),
            execute(usesCache ? cacheDirective : "no-store")
          )
        }
        if (cacheDirective === "only-if-cached" || upstream.peek(upstreamRequest, now) !== undefined) {
          return execute(cacheDirective)
        }
        return Effect.matchEffect(acquireSlot(operationRequest, client, "request"), {
          onSuccess: () => execute(cacheDirective),
          onFailure: (denial) => Effect.mapError(execute("only-if-cached"), () => denial)
        })
      }).pipe(
        Effect.provideService(CallClient.CurrentClient, callClient),
        memory.provide,
        Effect.filterOrFail(
          ({ response }) => RequestContext.holdBody(context, memory, response.bytes.byteLength),
          memory.denial
        )
      )
    })
    context.cache = CacheStatus.cacheStateOf(upstreamResponse, usesCache)
    // A stale response saves no cost, because it causes an upstream request as well.
    context.savedCost = upstreamResponse.source === "cache" ? cost : 0
    const now = yield* Clock.currentTimeMillis
    const response = yield* RenderResponse.render(
      { ...upstreamResponse, cacheDirective, usesCache, now, method: operation.method },
      request.headers,
      encodedBodies
    )
    // The encoded body is smaller, or the response has none.
    return !(response.body instanceof Uint8Array) ||
        RequestContext.holdBody(context, memory, response.body.byteLength)
      ? response
      : yield* Effect.fail(memory.denial())
  })

/**
 * Counts a request, or a whole list, until its response is handed over to the socket. Fails if the client exceeds a limit:
 * then the request must not use the upstream.
 */
const acquireSlot = (
  { clientLimits, context }: OperationRequest,
  { name }: Clients.AuthenticatedClient,
  kind: "request" | "list"
): Effect.Effect<void, ProxyError.ProxyError> =>
  // Without an interruption between the two, which would lose the slot.
  Effect.suspend(() =>
    Either.map(
      clientLimits.acquire(name, kind),
      (release) => RequestContext.holdUntilHandedOver(context, release)
    )
  )

/** Responds with a streaming list. The cursor may be a resume cursor of the proxy, which the upstream does not know. */
const streamList = (
  operationRequest: OperationRequest,
  client: Clients.AuthenticatedClient
): Effect.Effect<ProxyResponse.ProxyResponse, ProxyError.ProxyError> => {
  const {
    responseMemory,
    engine,
    activeConfig: { config, quotas, upstream },
    match,
    context,
    query,
    request: { shouldEndStreams, headers, method }
  } = operationRequest
  return Effect.flatMap(
    ParseRequest.parseRequest(match, query.filter(([name]) => name !== "cursor"), undefined),
    (upstreamRequest) => {
      const [cursor, secondCursor] = query.flatMap(([name, value]) =>
        name === "cursor" && value !== "" ? [value] : []
      )
      if (secondCursor !== undefined) return Effect.fail(multipleCursors)
      const cacheDirective = CacheDirective.parseCacheDirective(headers["cache-control"], headers["pragma"])
      // It is unknown in advance whether all pages are cached.
      if (cacheDirective === "only-if-cached") return Effect.fail(ProxyError.notCached)
      const callClient = ClientLimits.toCallClient(client, config)
      const listRequest = {
        upstreamRequest,
        cursor,
        client,
        cost: costOf(config, match.operation),
        callClient,
        memory: responseMemory.memoryOf(callClient),
        quotas,
        engine,
        upstream,
        context,
        cacheMode: cacheDirective,
        acquireSlot: acquireSlot(operationRequest, client, "list"),
        shouldEndStreams
      }
      return method === "HEAD" ? ListStream.head(listRequest) : ListStream.streamList(listRequest)
    }
  )
}

const multipleCursors = ProxyError.make(
  "invalid-request",
  "cursor: expected at most one value: the cursor of the last line of a list"
)

const readBody = (
  { body, headers }: ProxyRequest,
  maxBytes: number
): Effect.Effect<object, ProxyError.ProxyError> =>
  Effect.zipRight(
    CrossSite.checkWriteRequest(headers),
    Effect.flatMap(body(maxBytes), (bytes) => RequestBody.parse(bytes, headers))
  )
