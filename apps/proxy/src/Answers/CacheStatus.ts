/** What the cache did for a request, for whoever reads the answer's headers (RFC 9211), and for the log. */
import type { CacheState } from "../Facts.ts"
import type { Given } from "../Upstream.ts"
import type { Wish } from "./CacheControl.ts"

export const stateOf = ({ collapsed, source }: Given, caching: boolean): CacheState => {
  switch (source) {
    case "cache":
      return "hit"
    case "stale":
      return "stale"
    case "service":
      return caching ? collapsed ? "shared" : "miss" : "bypass"
  }
}

/** `caching`: whether the cache was asked at all. */
export const headers = (
  given: Given,
  wish: Wish,
  caching: boolean,
  now: number
): Readonly<Record<string, string>> => {
  const { collapsed, freshUntil, storedAt } = given
  if (storedAt === null || freshUntil === null) {
    const forwarded = caching ? wish === "reload" ? "request" : "miss" : "bypass"
    return { "cache-status": `quarry-proxy; fwd=${forwarded}${collapsed ? "; collapsed" : ""}` }
  }
  const ttl = Math.round((freshUntil - now) / 1000)
  const stale = given.source === "stale" ? "; detail=stale" : ""
  return {
    age: String(Math.max(0, Math.floor((now - storedAt) / 1000))),
    "cache-status": `quarry-proxy; hit; ttl=${ttl}${stale}`
  }
}
