/** A request while it is processed: what is known of it, what it uses, and what its response holds. */
import * as Context from "effect/Context"
import type { AccessLogEntry, Usage } from "./AccessLogEntry.ts"
import { Ledger } from "./Reservation.ts"
import { ResponseHold } from "./ResponseHold.ts"

export interface RequestContext
  extends Pick<AccessLogEntry, "clientAddress" | "method" | "requestId" | "startedAt">
{
  /** What is known so far. A step that learns something replaces it. */
  facts: Facts
  readonly ledger: Ledger
  readonly hold: ResponseHold
}

type Facts = Pick<
  AccessLogEntry,
  "cache" | "client" | "code" | "detail" | "operation" | "path" | "route" | "traceId"
>

const unknown: Facts = {
  client: null,
  route: "-",
  operation: null,
  cache: null,
  code: null,
  detail: undefined,
  path: undefined,
  traceId: undefined
}

export const make = (
  startedAt: number,
  requestId: string,
  method: string,
  clientAddress: string,
  usage: Usage["Type"]
): RequestContext => ({
  startedAt,
  requestId,
  method,
  clientAddress,
  facts: unknown,
  ledger: new Ledger(usage),
  hold: new ResponseHold()
})

/** Records what a step has learned. */
export const learn = (context: RequestContext, facts: Partial<Facts>): void => {
  context.facts = { ...context.facts, ...facts }
}

/** Returns what is recorded of a request that has completed. */
export const toAccessLogEntry = (
  { clientAddress, facts, ledger, method, requestId, startedAt }: RequestContext,
  status: number,
  bytes: number,
  now: number
): AccessLogEntry => ({
  startedAt,
  requestId,
  method,
  clientAddress,
  ...facts,
  ...ledger.row(),
  status,
  bytes,
  // Not negative if the clock was set back.
  durationMs: Math.max(0, now - startedAt)
})

/** The id of the request that a call to the engine is made for. Log lines of the call contain it. Default: null. */
export class CurrentRequestId extends Context.Reference<CurrentRequestId>()("quarry-proxy/CurrentRequestId", {
  defaultValue: (): string | null => null
}) {}
