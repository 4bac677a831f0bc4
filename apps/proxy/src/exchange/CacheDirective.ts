/** The cache directive of a request (`Cache-Control`, RFC 9111, section 5.2.1). */
import type { CacheMode } from "@blockquarry/http/ResponseCache"

/** A cache mode of the engine, or `only-if-cached`: respond from the cache or fail. */
export type CacheDirective = CacheMode | "only-if-cached"

/** Returns the strictest directive of a request. `Pragma: no-cache` is the HTTP/1.0 form of `no-cache`. */
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
