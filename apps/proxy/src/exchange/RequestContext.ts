/** A request while it is processed: what is known of it, what it uses, and what its response holds. */
import type { BodyMemory } from "@blockquarry/http/gateway/RawResponse"
import * as Context from "effect/Context"
import type { AccessLogEntry, Usage } from "./AccessLogEntry.ts"
import { Ledger } from "./Reservation.ts"

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

/** What a response holds that clients share: the slot of its request until it is handed over, and the memory of its body until it is sent. */
export class ResponseHold {
  /** The memory that the body uses, or undefined once the request is complete. */
  bodyBytes: number | undefined = 0
  private memory: BodyMemory | undefined
  private isHandedOver = false
  private release: (() => void) | undefined

  /** Ends the request for the limits of its client when the response is handed over. */
  releaseOnHandOver(release: () => void): void {
    // The client may disconnect before the request is counted.
    if (this.isHandedOver) release()
    else this.release = release
  }

  /** The response was handed over to the socket, is only delayed, or the client disconnected. */
  handOver(): void {
    this.isHandedOver = true
    this.release?.()
    this.release = undefined
  }

  /** Changes the memory that the body uses. Returns false, and changes nothing, if there is not enough. */
  holdBody(memory: BodyMemory, bytes: number): boolean {
    // The client may disconnect before its response is complete.
    if (this.bodyBytes === undefined) return true
    if (bytes > this.bodyBytes && !memory.tryAcquire(bytes - this.bodyBytes)) return false
    if (bytes < this.bodyBytes) memory.release(this.bodyBytes - bytes)
    this.bodyBytes = bytes
    this.memory = memory
    return true
  }

  /** The response was sent, or the client disconnected. Must be called once. */
  complete(): void {
    if (this.bodyBytes !== undefined) this.memory?.release(this.bodyBytes)
    this.bodyBytes = undefined
  }
}

/** The id of the request that a call to the engine is made for. Log lines of the call contain it. Default: null. */
export class CurrentRequestId extends Context.Reference<CurrentRequestId>()("quarry-proxy/CurrentRequestId", {
  defaultValue: (): string | null => null
}) {}
