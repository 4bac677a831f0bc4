/** The headers that the proxy adds to answers. */
import type { JsonObject } from "./ResponseSchemas.ts"

const header = (description: string, type: "string" | "integer" = "string"): JsonObject => ({
  description,
  schema: { type }
})

export const headers = {
  RequestId: header("the request's id: the client's own where it looks safe, otherwise a new one"),
  CacheStatus: header("what the cache did (RFC 9211), as in `quarry-proxy; hit; ttl=5`"),
  Age: header("seconds since the answer was kept", "integer"),
  ETag: header(
    "names the answer; send it back in If-None-Match, and nothing is sent again that has not changed"
  ),
  RateLimit: header("what is left of the client's budgets, as in `\"rate\";r=47;t=1, \"day\";r=9800;t=3600`"),
  RateLimitPolicy: header("the client's budgets, as in `\"rate\";q=50;w=1, \"day\";q=10000;w=86400`"),
  RetryAfter: header("when to ask again: seconds, or a date")
}

const reference = (name: keyof typeof headers): JsonObject => ({ $ref: `#/components/headers/${name}` })

/** Those of every answer to an operation. */
export const operationResponseHeaders: JsonObject = {
  "X-Request-Id": reference("RequestId"),
  "Cache-Status": reference("CacheStatus"),
  Age: reference("Age"),
  ETag: reference("ETag"),
  RateLimit: reference("RateLimit"),
  "RateLimit-Policy": reference("RateLimitPolicy")
}
