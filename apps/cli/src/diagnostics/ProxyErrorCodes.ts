// dprint-ignore-file
/** The error codes of the proxy. A test of the proxy writes this file. */
export const proxyErrorCodes = {
  "malformed-uri": {
    "status": 400,
    "description": "The path or the query is malformed. Check its percent-encoding."
  },
  "malformed-request": {
    "status": 400,
    "description": "The request is not well-formed HTTP, or it was not received in time."
  },
  "invalid-request": {
    "status": 400,
    "description": "A parameter is missing or invalid. The message names it. The request was not sent upstream."
  },
  "not-json": {
    "status": 400,
    "description": "The request body is not a JSON object."
  },
  "bad-request": {
    "status": 400,
    "description": "The upstream rejected the request parameters. The message gives its reason."
  },
  "token-in-url": {
    "status": 400,
    "description": "The URL contains a token. Send it in a header, and replace the token, because URLs are logged."
  },
  "token-missing": {
    "status": 401,
    "description": "Authentication is required. Send your token as X-API-Key or Authorization: Bearer."
  },
  "token-unknown": {
    "status": 401,
    "description": "The token is invalid. Ask the operator of the proxy for a token."
  },
  "cross-site": {
    "status": 403,
    "description": "Cross-site requests are rejected if they need no token or change data."
  },
  "insufficient-scope": {
    "status": 403,
    "description": "The token lacks the scope for this operation."
  },
  "ip-not-allowed": {
    "status": 403,
    "description": "The token is not allowed from your IP address."
  },
  "unknown-path": {
    "status": 404,
    "description": "The path does not exist. This page lists all paths."
  },
  "not-found": {
    "status": 404,
    "description": "The upstream has no such resource."
  },
  "method-not-allowed": {
    "status": 405,
    "description": "The path does not support this method. The Allow header lists the supported methods."
  },
  "body-too-slow": {
    "status": 408,
    "description": "The request body was not received in time."
  },
  "body-too-large": {
    "status": 413,
    "description": "The request body exceeds the size limit of the proxy."
  },
  "uri-too-long": {
    "status": 414,
    "description": "The path and query exceed the length limit of the proxy."
  },
  "encoded-body": {
    "status": 415,
    "description": "Request bodies with a content-encoding are not supported."
  },
  "unsupported-media-type": {
    "status": 415,
    "description": "The request body must have content-type: application/json."
  },
  "host-not-allowed": {
    "status": 421,
    "description": "Without authentication, the Host header must be an IP address, localhost, or a name in listen.allowedHosts."
  },
  "client-concurrency-limited": {
    "status": 429,
    "description": "You have too many requests or lists in flight. Retry after the time in Retry-After."
  },
  "client-memory-limited": {
    "status": 429,
    "description": "Your responses need too much memory of the proxy. Read pending responses, then retry after the time in Retry-After."
  },
  "client-quota-exceeded": {
    "status": 429,
    "description": "You used up your daily quota. It resets at midnight UTC."
  },
  "client-rate-limited": {
    "status": 429,
    "description": "You exceeded your rate limit. Retry after the time in Retry-After."
  },
  "upstream-local-limit": {
    "status": 429,
    "description": "A limit that the operator set for the upstream API keys is reached. Retry after the time in Retry-After."
  },
  "upstream-rate-limited": {
    "status": 429,
    "description": "The upstream rate limit is exceeded. Retry after the time in Retry-After."
  },
  "internal": {
    "status": 500,
    "description": "The proxy failed. Its log has details under the request ID."
  },
  "pagination-failed": {
    "status": 502,
    "description": "The list cannot be continued, because the cursors of the upstream are inconsistent."
  },
  "upstream-authentication-failed": {
    "status": 502,
    "description": "The upstream rejected the API key of the proxy. Contact the operator of the proxy."
  },
  "upstream-error": {
    "status": 502,
    "description": "The upstream failed, or its response was withheld because it contains an API key."
  },
  "upstream-invalid-response": {
    "status": 502,
    "description": "The upstream response is truncated, too long, or not valid JSON."
  },
  "upstream-plan-exhausted": {
    "status": 502,
    "description": "The plan of the upstream API key is exhausted. Contact the operator of the proxy."
  },
  "upstream-unreachable": {
    "status": 502,
    "description": "The proxy cannot connect to the upstream."
  },
  "circuit-open": {
    "status": 503,
    "description": "The circuit breaker is open after repeated upstream failures. Retry after the time in Retry-After."
  },
  "overloaded": {
    "status": 503,
    "description": "The proxy has reached its limit of concurrent requests or of memory. Retry after the time in Retry-After."
  },
  "shutting-down": {
    "status": 503,
    "description": "In lists: the proxy is shutting down. Resume the list with the cursor at another proxy."
  },
  "store-unavailable": {
    "status": 503,
    "description": "The store of the limits or the cache is unavailable. Retry later."
  },
  "upstream-key-missing": {
    "status": 503,
    "description": "No upstream API key is configured. Contact the operator of the proxy."
  },
  "upstream-url-missing": {
    "status": 503,
    "description": "No base URL is configured for this API. Contact the operator of the proxy."
  },
  "not-cached": {
    "status": 504,
    "description": "No cached response exists for this request with only-if-cached."
  },
  "upstream-timeout": {
    "status": 504,
    "description": "The upstream did not respond in time. The request is safe to retry."
  }
}
