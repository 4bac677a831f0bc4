/** What is found out about a request while it is answered, for its line in the log. */
import type * as CallUsage from "@blockquarry/http/CallUsage"
import type { AccessLogEntry, CacheState } from "./AccessLogEntry.ts"
import type { Charge, QuotaStatus } from "./Charge.ts"
import type * as ProxyError from "./ProxyError.ts"

export interface RequestContext {
  readonly startedAt: number
  readonly requestId: string
  readonly method: string
  client: string | null
  route: string
  operation: string | null
  code: ProxyError.ErrorCode | null
  cache: CacheState | null
  savedCost: number
  chargedCost: number
  /** That it went beyond its client's budget, where that is only counted. */
  shadowed: boolean
  /** How the client stands, once that is known. */
  quotas: ReadonlyArray<QuotaStatus>
  /** Milliseconds of waiting for the client's budget. */
  quotaWaitMs: number
  /** What the engine did for it. */
  readonly callUsage: CallUsageRecorder
}

export const make = (startedAt: number, requestId: string, method: string): RequestContext => ({
  startedAt,
  requestId,
  method,
  client: null,
  route: "-",
  operation: null,
  code: null,
  cache: null,
  savedCost: 0,
  chargedCost: 0,
  shadowed: false,
  quotas: [],
  quotaWaitMs: 0,
  callUsage: new CallUsageRecorder()
})

/** Notes what was taken from the client's budgets. */
export const recordCharge = (context: RequestContext, { quotas, shadowed, cost, waitMs }: Charge): void => {
  context.quotas = quotas
  context.chargedCost += shadowed ? 0 : cost
  context.shadowed ||= shadowed
  context.quotaWaitMs += waitMs
}

/**
 * A receipt that goes on after the answer: the engine may renew what it gave stale, or end what its client did not wait
 * for, and that is paid for too.
 */
class CallUsageRecorder implements CallUsage.CallUsage {
  #attempts = 0
  #units = 0
  waitMillis = 0
  /** Told what is spent once the request is over. */
  onLateUsage: ((attempts: number, units: number) => void) | undefined

  get attempts(): number {
    return this.#attempts
  }

  set attempts(attempts: number) {
    this.onLateUsage?.(attempts - this.#attempts, 0)
    this.#attempts = attempts
  }

  get cost(): number {
    return this.#units
  }

  set cost(units: number) {
    this.onLateUsage?.(0, units - this.#units)
    this.#units = units
  }
}

/** All that is known once the answer has gone. */
export const toAccessLogEntry = (
  {
    startedAt,
    cache,
    chargedCost,
    client,
    code,
    requestId,
    method,
    operation,
    callUsage,
    route,
    savedCost,
    shadowed,
    quotaWaitMs
  }: RequestContext,
  status: number,
  bytes: number,
  now: number
): AccessLogEntry => ({
  startedAt,
  requestId,
  client,
  method,
  route,
  operation,
  status,
  code,
  cache,
  attempts: callUsage.attempts,
  upstreamCost: callUsage.cost,
  savedCost,
  chargedCost,
  shadowed,
  durationMs: now - startedAt,
  waitMs: quotaWaitMs + callUsage.waitMillis,
  bytes
})
