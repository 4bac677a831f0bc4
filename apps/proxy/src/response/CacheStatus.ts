/** What the cache did for a request, for whoever reads the answer's headers (RFC 9211), and for the log. */
import type { CacheState } from "../exchange/AccessLogEntry.ts"
import type { CacheDirective } from "../exchange/CacheDirective.ts"
import type { UpstreamResponse } from "../upstream/UpstreamClient.ts"

export const cacheStateOf = ({ collapsed, source }: UpstreamResponse, usesCache: boolean): CacheState => {
  switch (source) {
    case "cache":
      return "hit"
    case "stale":
      return "stale"
    case "upstream":
      return usesCache ? collapsed ? "shared" : "miss" : "bypass"
  }
}

/** `caching`: whether the cache was asked at all. */
export const cacheHeaders = (
  response: UpstreamResponse,
  cacheDirective: CacheDirective,
  usesCache: boolean,
  now: number
): Readonly<Record<string, string>> => {
  const { collapsed, freshUntil, storedAt } = response
  if (storedAt === null || freshUntil === null) {
    const forwardReason = usesCache ? cacheDirective === "reload" ? "request" : "miss" : "bypass"
    return { "cache-status": `quarry-proxy; fwd=${forwardReason}${collapsed ? "; collapsed" : ""}` }
  }
  const ttl = Math.round((freshUntil - now) / 1000)
  const stale = response.source === "stale" ? "; detail=stale" : ""
  return {
    age: String(Math.max(0, Math.floor((now - storedAt) / 1000))),
    "cache-status": `quarry-proxy; hit; ttl=${ttl}${stale}`
  }
}
