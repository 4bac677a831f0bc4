/** What the proxy records of a completed request. The access log, metrics and status page are derived from it. */
import type { CallUsage } from "@blockquarry/http/CallUsage"
import * as Context from "effect/Context"
import type { ErrorCode } from "./ErrorCode.ts"

/**
 * - `hit`: a fresh cache entry.
 * - `stale`: a stale cache entry, served because the upstream failed or while the entry is revalidated.
 * - `miss`: the response of an upstream request that was sent for this request.
 * - `coalesced`: the response of an upstream request that was sent for an identical concurrent request.
 * - `bypass`: the cache is disabled, the client sent `no-store`, or the operation is an update.
 */
export type CacheState = "hit" | "stale" | "miss" | "coalesced" | "bypass"

export interface AccessLogEntry {
  /** When the proxy received the request, in milliseconds since the Unix epoch. */
  readonly startedAt: number
  readonly requestId: string
  /** The name of the client, or null if the request was not authenticated. */
  readonly client: string | null
  /** The IP address of the client, or of the last proxy that is not trusted. Empty if the connection was closed early. */
  readonly clientAddress: string
  readonly method: string
  /** The path with placeholders for its parameters, or `-` if no route matches. */
  readonly route: string
  /** The path of the request if no route matches, as `LoggedPath` shows it. */
  readonly path?: string | undefined
  /** The id of the trace of the proxy or, without tracing, of the client. */
  readonly traceId?: string | undefined
  /** The id of the operation, or null for the proxy's own pages and unknown paths. */
  readonly operation: string | null
  /** 499 if the client disconnected before the response was complete. */
  readonly status: number
  /** The error code, or null if the response is not an error of the proxy. */
  readonly code: ErrorCode | null
  /** What failed, with the host of the upstream, if the proxy could not reach it, or why a JWT is refused. */
  readonly detail?: string | undefined
  readonly cache: CacheState | null
  readonly attempts: number
  /** The price of the attempts in units: what the upstream reports or, without a report, what was expected. */
  readonly upstreamCost: number
  /** The part of `upstreamCost` that was expected. */
  readonly unsettledPrice: number
  /** By how much the reported prices exceed the expected ones. */
  readonly priceDrift: number
  /** The price that a cached response saved. */
  readonly savedCost: number
  /** What the client pays, in units. */
  readonly chargedCost: number
  readonly shadowed: boolean
  /** Set if a soft quota is used up. */
  readonly warned?: true | undefined
  /** Time from the first byte of the request to the last byte of the response, in milliseconds. */
  readonly durationMs: number
  /** The part of `durationMs` spent waiting for quotas, rate limits, cooldowns, concurrency limits and backoff. */
  readonly waitMs: number
  /** Bytes of the response body as sent, after content encoding. */
  readonly bytes: number
}

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

/** Receives what the proxy records of requests. */
export class Usage extends Context.Tag("quarry-proxy/Usage")<Usage, {
  readonly record: (entry: AccessLogEntry) => void
  /**
   * Records what a request uses of an API key, as soon as it is known. `charged` is by how many units that changes the charge if
   * the request was recorded already; otherwise null, as its entry will have both.
   */
  readonly recordUse: (
    request: Pick<AccessLogEntry, "client" | "operation">,
    usage: CallUsage,
    key: string | null,
    charged: number | null
  ) => void
}>() {}
