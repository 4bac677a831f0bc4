/** What is known of a request once it is over: the log, the metrics and the status page are made from this alone. */
import type * as ProxyError from "./ProxyError.ts"

/**
 * - `hit`, `stale`: a kept answer was given; a stale one because the service failed, or while it is asked.
 * - `miss`: the service was asked for this request; `shared`: for another that asked the same at the same time.
 * - `bypass`: the cache is off, the client wanted none of it, or the request changes something.
 */
export type CacheState = "hit" | "stale" | "miss" | "shared" | "bypass"

export interface AccessLogEntry {
  /** When the request came, in milliseconds since 1970. */
  readonly startedAt: number
  readonly requestId: string
  /** The client's name; null where nobody was recognised. */
  readonly client: string | null
  readonly method: string
  /** The path with its parameters unnamed; `-` where it leads nowhere. */
  readonly route: string
  /** Its id. */
  readonly operation: string | null
  /** 499 where the client hung up first. */
  readonly status: number
  /** Of a failure of our own. */
  readonly code: ProxyError.ErrorCode | null
  readonly cache: CacheState | null
  /** Requests that were sent to the service. */
  readonly attempts: number
  /** Units that they cost. */
  readonly upstreamCost: number
  /** Units that a kept answer saved. */
  readonly savedCost: number
  /** Units that were taken from the client's budget. */
  readonly chargedCost: number
  /** That it went beyond that budget, where budgets only count. */
  readonly shadowed: boolean
  /** From the first byte to the last, in milliseconds. */
  readonly durationMs: number
  /** Of these, waiting: for budgets, pauses and places, and between attempts. */
  readonly waitMs: number
  /** Of the body as it was sent. */
  readonly bytes: number
}
