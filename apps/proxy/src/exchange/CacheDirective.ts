/** What a client's `Cache-Control` asks of the cache (RFC 9111, 5.2.1). */
import type { CacheMode } from "@blockquarry/http/ResponseCache"

/** `only-if-cached`: a kept answer or none. The others are the engine's words. */
export type CacheDirective = CacheMode | "only-if-cached"

/** The strictest of what is asked for. `Pragma: no-cache` is how HTTP/1.0 asked. */
export const parseCacheDirective = (
  cacheControl: string | undefined,
  pragma: string | undefined
): CacheDirective => {
  if (cacheControl === undefined) return pragma?.toLowerCase() === "no-cache" ? "reload" : "default"
  const directives = new Set(cacheControl.toLowerCase().split(",").map((directive) => directive.trim()))
  if (directives.has("only-if-cached")) return "only-if-cached"
  if (directives.has("no-store")) return "no-store"
  return directives.has("no-cache") || directives.has("max-age=0") ? "reload" : "default"
}
