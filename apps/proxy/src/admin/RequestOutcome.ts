/** The outcome of a request, as the status page, usage reports and metrics count it. */
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"

/**
 * - `completed`: the client received the upstream's response, cached or not. This includes a 404 or 400 of the upstream.
 * - `rejected`: the proxy responded with 4xx, with 503 because a circuit breaker was open, or with 504 to an
 *   `only-if-cached` request without a cache entry.
 * - `failed`: the proxy or the upstream responded with 5xx.
 * - `client-disconnected`: the client closed the connection before the response was complete.
 */
export type RequestOutcome = "completed" | "rejected" | "failed" | "client-disconnected"

/**
 * Codes with 5xx of requests that the proxy chose not to send. The upstream failures that opened a circuit breaker count as
 * failures already.
 */
const rejections: ReadonlySet<AccessLogEntry["code"]> = new Set(["circuit-open", "not-cached"])

export const outcomeOf = ({ code, status }: AccessLogEntry): RequestOutcome => {
  if (status === 499) return "client-disconnected"
  if (code !== null && (status < 500 || rejections.has(code))) return "rejected"
  return status >= 500 ? "failed" : "completed"
}
