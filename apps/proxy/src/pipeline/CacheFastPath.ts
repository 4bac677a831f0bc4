/**
 * Responds synchronously, without a fiber, if the same request was parsed before and its cache entry is fresh and in
 * memory. All other requests take the regular path (`Pipeline`), which repeats every check.
 */
import * as Either from "effect/Either"
import * as Clients from "../auth/Clients.ts"
import * as CacheDirective from "../exchange/CacheDirective.ts"
import { costOf } from "../exchange/Charge.ts"
import type { ProxyRequest } from "../exchange/ProxyRequest.ts"
import type { ProxyResponse } from "../exchange/ProxyResponse.ts"
import * as RequestContext from "../exchange/RequestContext.ts"
import * as ClientLimits from "../quota/ClientLimits.ts"
import * as RenderResponse from "../response/RenderResponse.ts"
import * as UpstreamClient from "../upstream/UpstreamClient.ts"
import type { ActiveConfig } from "./ActiveConfig.ts"
import type { SharedState } from "./SharedState.ts"

/**
 * Returns a response from the cache, or undefined if the regular path is required. In that case nothing is charged, and
 * the context is unchanged.
 */
export const respondFromCache = (
  { config, quotas, clients, parsedRequests, upstream }: ActiveConfig,
  { responseMemory, encodedBodies }: Pick<SharedState, "responseMemory" | "encodedBodies">,
  request: ProxyRequest,
  context: RequestContext.RequestContext
): ProxyResponse | undefined => {
  const { headers, method, target } = request
  const upstreamRequest = method === "GET" ? parsedRequests.get(target) : undefined
  if (upstreamRequest === undefined) return undefined
  const cacheDirective = CacheDirective.parseCacheDirective(headers["cache-control"], headers["pragma"])
  if (cacheDirective !== "default") return undefined
  const { operation, route } = upstreamRequest
  const client = clients.authenticate(request)
  if (Either.isLeft(client) || !Clients.isAllowed(client.right, operation.id)) return undefined
  const entry = upstream.peek(upstreamRequest, context.startedAt)
  const body = entry && encodedBodies.peek(entry.response, headers["accept-encoding"])
  if (entry === undefined || body === undefined) return undefined
  const memory = responseMemory.memoryOf(ClientLimits.toCallClient(client.right, config))
  if (!RequestContext.holdBody(context, memory, body.bytes.byteLength)) return undefined
  const cost = costOf(config, operation)
  const charge = quotas.tryAcquire(client.right, cost, context.startedAt)
  if (charge === undefined) {
    RequestContext.holdBody(context, memory, 0)
    return undefined
  }
  upstream.recordHit(upstreamRequest)
  context.client = client.right.name
  context.route = route
  context.operation = operation.id
  context.cache = "hit"
  context.savedCost = cost
  RequestContext.recordCharge(context, charge)
  const renderInput = {
    ...UpstreamClient.fromCacheEntry(entry),
    cacheDirective,
    usesCache: true,
    method: operation.method,
    now: context.startedAt
  }
  return RenderResponse.renderSync(renderInput, headers, encodedBodies)
}
