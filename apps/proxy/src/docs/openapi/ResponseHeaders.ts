/** Headers that the proxy adds to responses. */
import type { JsonObject } from "./ResponseSchemas.ts"

const header = (description: string, type: "string" | "integer" = "string"): JsonObject => ({
  description,
  schema: { type }
})

export const headers = {
  RequestId: header("Request ID: the client's X-Request-Id if valid, otherwise generated"),
  CacheStatus: header("Cache result (RFC 9211), for example `quarry-proxy; hit; ttl=5`"),
  Age: header("Age of the cached response in seconds", "integer"),
  ETag: header(
    "Entity tag for conditional requests (If-None-Match)"
  ),
  RateLimit: header(
    "Remaining units of the client's rate limit and daily quota, for example `\"rate\";r=47;t=1, \"day\";r=9800;t=3600`"
  ),
  RateLimitPolicy: header(
    "The client's rate limit and daily quota, for example `\"rate\";q=50;w=1, \"day\";q=10000;w=86400`"
  ),
  RetryAfter: header("When to retry: seconds or a date")
}

const reference = (name: keyof typeof headers): JsonObject => ({ $ref: `#/components/headers/${name}` })

/** Headers of every response to an operation. */
export const operationResponseHeaders: JsonObject = {
  "X-Request-Id": reference("RequestId"),
  "Cache-Status": reference("CacheStatus"),
  Age: reference("Age"),
  ETag: reference("ETag"),
  RateLimit: reference("RateLimit"),
  "RateLimit-Policy": reference("RateLimitPolicy")
}
