/** The cache result of a response, for the `Cache-Status` header (RFC 9211) and the access log. */
import type { CacheState } from "../exchange/AccessLogEntry.ts"
import type { CacheDirective } from "../exchange/CacheDirective.ts"
import type { UpstreamResponse } from "../upstream/UpstreamClient.ts"

export const cacheStateOf = ({ coalesced, source }: UpstreamResponse, usesCache: boolean): CacheState => {
  switch (source) {
    case "cache":
      return "hit"
    case "stale":
      return "stale"
    case "upstream":
      return usesCache ? coalesced ? "coalesced" : "miss" : "bypass"
  }
}

/** Sets the header `Cache-Status`, and `Age` for cached responses. `usesCache`: whether the request used the cache. */
export const setCacheHeaders = (
  headers: Record<string, string>,
  { coalesced, freshUntil, source, storedAt }: UpstreamResponse,
  cacheDirective: CacheDirective,
  usesCache: boolean,
  now: number
): void => {
  if (storedAt === null || freshUntil === null) {
    const forwardReason = usesCache ? cacheDirective === "reload" ? "request" : "miss" : "bypass"
    headers["cache-status"] = `quarry-proxy; fwd=${forwardReason}${coalesced ? "; collapsed" : ""}`
    return
  }
  const ttl = Math.round((freshUntil - now) / 1000)
  headers["age"] = String(Math.max(0, Math.floor((now - storedAt) / 1000)))
  headers["cache-status"] = `quarry-proxy; hit; ttl=${ttl}${source === "stale" ? "; detail=stale" : ""}`
}
