/** What the status page, usage reports and metrics count of requests. */
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
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

/** Costs are in units. */
export const zero = () => ({
  requests: 0,
  hits: 0,
  stale: 0,
  /** Requests that were coalesced with a request in flight. */
  coalesced: 0,
  failures: 0,
  rejected: 0,
  clientDisconnects: 0,
  attempts: 0,
  /** The price of the attempts: as the upstream reports it or, without a report, as expected. */
  upstreamCost: 0,
  /** Requests with attempts without a report, and the expected prices of these. */
  unsettledRequests: 0,
  unsettledPrice: 0,
  /** By how much the reported prices exceed the expected ones. */
  priceDrift: 0,
  savedCost: 0,
  chargedCost: 0,
  /** Requests that exceeded a quota in shadow mode. */
  shadowed: 0,
  bytes: 0
})

export type MutableCounts = ReturnType<typeof zero>

/** Processes of other versions may count less. */
export const fields = Rec.map(zero(), () => Schema.optionalWith(Schema.Number, { default: () => 0 }))

export const sum = <Row extends Readonly<MutableCounts>>(one: Row, other: Row): Row => ({
  ...one,
  ...Rec.map(zero(), (_, name) => one[name] + other[name])
})

export const add = (counts: MutableCounts, entry: AccessLogEntry, outcome: RequestOutcome): void => {
  counts.requests += 1
  if (entry.cache === "hit" || entry.cache === "stale") counts.hits += 1
  if (entry.cache === "stale") counts.stale += 1
  if (entry.cache === "coalesced") counts.coalesced += 1
  if (outcome === "failed") counts.failures += 1
  if (outcome === "rejected") counts.rejected += 1
  if (outcome === "client-disconnected") counts.clientDisconnects += 1
  counts.attempts += entry.attempts
  counts.upstreamCost += entry.upstreamCost
  if (entry.unsettledPrice > 0) counts.unsettledRequests += 1
  counts.unsettledPrice += entry.unsettledPrice
  counts.priceDrift += entry.priceDrift
  counts.savedCost += entry.savedCost
  counts.chargedCost += entry.chargedCost
  if (entry.shadowed) counts.shadowed += 1
  counts.bytes += entry.bytes
}
