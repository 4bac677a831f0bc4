/** What each `code` of our own failures means to whoever gets it, and what to do. */
import type * as ProxyError from "../../exchange/ProxyError.ts"

export const errorDescriptions: Readonly<Record<ProxyError.ErrorCode, string>> = {
  "malformed-target": "The path or the query cannot be read. Check its percent-encoding.",
  "malformed-request": "What came is not well-formed HTTP, or was not whole in time.",
  "invalid-request":
    "A parameter is missing or wrong. The message names it; nothing was sent to the service.",
  "not-json": "The body is not JSON.",
  "bad-request": "The service refused the question. Its message says why.",
  "token-in-target":
    "A token stands in the address, where logs keep it. Send it as a header, and have it replaced.",
  "token-missing": "Send your token as X-API-Key, or as Authorization: Bearer.",
  "token-unknown": "This proxy does not know the token. Ask whoever runs it for one.",
  "cross-site": "Changes are not taken from pages of other sites.",
  "network-refused": "The token may not be used from where you are.",
  "scope-refused": "The token may not ask for this operation.",
  "unknown-path": "There is nothing at this path. This page lists the paths.",
  "not-found": "The service does not have it.",
  "method-not-allowed": "The path takes other methods; Allow says which.",
  "body-too-slow": "The body did not come in time.",
  "body-too-large": "The body is longer than the proxy takes.",
  "target-too-long": "The address is longer than the proxy takes.",
  "encoded-body": "Send the body without content-encoding.",
  "unsupported-media-type": "Send content-type: application/json.",
  "host-refused": "An open proxy is called by an address, as localhost, or by a name that it was told.",
  "over-budget": "Your own budget is spent. Retry-After and RateLimit say when there is more.",
  "rate-limited": "The service takes no more for now. Retry-After says when to come back.",
  "internal": "The proxy failed. Its log has the reason under the request's id.",
  "key-refused": "The service refused the proxy's key. Tell whoever runs the proxy.",
  "list-broken": "The list cannot be walked further: the service's cursors lead nowhere.",
  "plan-exhausted": "The plan of the proxy's key is used up. Tell whoever runs the proxy.",
  "response-invalid": "The service's answer is no answer: cut off, too long, or not JSON.",
  "service-failed": "The service failed, or answered what may not be passed on.",
  "unreachable": "The service cannot be reached.",
  "address-not-set": "The proxy has no address for this API. Tell whoever runs it.",
  "key-not-set": "The proxy has no key for the service. Tell whoever runs it.",
  "overloaded": "The proxy has as many requests as it takes. Retry-After says when to come back.",
  "service-left-alone":
    "The service failed too often and is left alone. Retry-After says when it is tried again.",
  "stopping": "In lists: this proxy is about to stop. Go on with the cursor, at another one.",
  "store-away": "The store that processes share is away. Ask again later.",
  "not-kept": "You asked for a kept answer alone (only-if-cached), and none is kept.",
  "timed-out": "No answer came in time. It is safe to ask again."
}
