/**
 * The error codes of the proxy: the status of each, what it means for a client, and what to do about it. They are part of its
 * public interface.
 */
import * as Rec from "effect/Record"

const ofStatus = <Code extends string>(status: number, descriptions: { readonly [C in Code]: string }) =>
  Rec.map(descriptions, (description) => ({ status, description }))

export const errorCodes = {
  ...ofStatus(400, {
    "malformed-uri": "The path or the query is malformed. Check its percent-encoding.",
    "malformed-request": "The request is not well-formed HTTP, or it was not received in time.",
    "invalid-request":
      "A parameter is missing or invalid. The message names it. The request was not sent upstream.",
    "not-json": "The request body is not a JSON object.",
    "bad-request": "The upstream rejected the request parameters. The message gives its reason.",
    "token-in-url":
      "The URL contains a token. Send it in a header, and replace the token, because URLs are logged."
  }),
  ...ofStatus(401, {
    "token-expired": "The token has expired, or is not valid yet. Get a new one.",
    "token-missing": "Authentication is required. Send your token as X-API-Key or Authorization: Bearer.",
    "token-unknown": "The token is invalid. Ask the operator of the proxy for a token."
  }),
  ...ofStatus(403, {
    "client-unknown":
      "The JWT is valid, and its subject is no client of this proxy. Ask the operator of the proxy.",
    "client-disabled": "An operator of the proxy has disabled your client.",
    "chain-not-allowed":
      "The token is not allowed for this chain, or for an added parameter such as chain_id. Ask the operator of the proxy.",
    "contract-not-allowed":
      "The token is allowed for other contracts only, or not for an added parameter such as chain_id. Ask the operator of the proxy.",
    "cross-site": "Cross-site requests are rejected if they need no token or change data.",
    "insufficient-scope": "The token lacks the scope for this operation.",
    "ip-not-allowed": "The token is not allowed from your IP address.",
    "passthrough-refused":
      "No operation has this path, and neither your scopes nor a rule pass it through. The page / lists all paths; ask the operator of the proxy."
  }),
  ...ofStatus(404, {
    "unknown-path": "The path does not exist. This page lists all paths.",
    "not-found": "The upstream has no such resource."
  }),
  ...ofStatus(405, {
    "method-not-allowed":
      "The path does not support this method. The Allow header lists the supported methods."
  }),
  ...ofStatus(408, {
    "body-too-slow": "The request body was not received in time."
  }),
  ...ofStatus(413, {
    "body-too-large": "The request body exceeds the size limit of the proxy."
  }),
  ...ofStatus(414, {
    "uri-too-long": "The path and query exceed the length limit of the proxy."
  }),
  ...ofStatus(415, {
    "encoded-body": "Request bodies with a content-encoding are not supported.",
    "unsupported-media-type": "The request body must have content-type: application/json."
  }),
  ...ofStatus(421, {
    "host-not-allowed":
      "The Host header or the authority of the target is not allowed. Without authentication, it must be an IP address, localhost, or a name in listen.allowedHosts."
  }),
  ...ofStatus(429, {
    "client-concurrency-limited":
      "You have too many requests or lists in flight. Retry after the time in Retry-After.",
    "client-memory-limited":
      "Your responses need too much memory of the proxy. Read pending responses, then retry after the time in Retry-After.",
    "client-quota-exceeded":
      "A quota per day or month is used up: yours, that of your team, or that of all clients. The message says when it resets.",
    "client-rate-limited": "You exceeded your rate limit. Retry after the time in Retry-After or RateLimit.",
    "upstream-local-limit":
      "A limit that the operator set for the upstream API keys is reached. Retry after the time in Retry-After or RateLimit.",
    "upstream-rate-limited":
      "The upstream rate limit is exceeded. Retry after the time in Retry-After or RateLimit."
  }),
  ...ofStatus(500, {
    "internal": "The proxy failed. Its log has details under the request ID."
  }),
  ...ofStatus(502, {
    "pagination-failed":
      "The list cannot be continued, because the cursors of the upstream are inconsistent.",
    "upstream-authentication-failed":
      "The upstream rejected the API key of the proxy. Contact the operator of the proxy.",
    "upstream-error": "The upstream failed, or its response was withheld because it contains an API key.",
    "upstream-invalid-response": "The upstream response is truncated, too long, or not valid JSON.",
    "upstream-plan-exhausted":
      "The plan of the upstream API key is exhausted. Contact the operator of the proxy.",
    "upstream-unreachable": "The proxy cannot connect to the upstream."
  }),
  ...ofStatus(503, {
    "circuit-open":
      "The circuit breaker is open after repeated upstream failures. Retry after the time in Retry-After or RateLimit.",
    "jwks-unavailable": "The proxy cannot read the keys that verify JWTs. Retry later.",
    "overloaded":
      "The proxy has reached its limit of concurrent requests or of memory. Retry after the time in Retry-After.",
    "shutting-down":
      "In lists: the proxy is shutting down. Resume the list with the cursor at another proxy.",
    "store-unavailable": "The store of the limits or the cache is unavailable. Retry later.",
    "upstream-key-missing": "No upstream API key is configured. Contact the operator of the proxy.",
    "upstream-url-missing": "No base URL is configured for this API. Contact the operator of the proxy."
  }),
  ...ofStatus(504, {
    "not-cached": "No cached response exists for this request with only-if-cached.",
    "upstream-timeout": "The upstream did not respond in time. The request is safe to retry."
  })
}

export type ErrorCode = keyof typeof errorCodes
