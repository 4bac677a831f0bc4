/** Mutable state of a request while it is processed. When the request completes, it is the access log entry. */
import type { CallUsage } from "@blockquarry/http/CallUsage"
import type { BodyMemory } from "@blockquarry/http/RawResponse"
import * as Context from "effect/Context"
import { type AccessLogEntry, addUsage, type Mutable, type Usage } from "./AccessLogEntry.ts"
import type { QuotaStatus } from "./Charge.ts"

export interface RequestContext extends Mutable<AccessLogEntry> {
  quotas: ReadonlyArray<QuotaStatus>
  /** Receives usage of API keys. */
  onUse: Usage["Type"]["recordUse"] | undefined
  /** Receives usage that arrives after the request has completed. Undefined before. */
  onLateUsage: Usage["Type"]["recordLate"] | undefined
  /** The number of charges that may still be refunded. */
  unsettledCharges: number
  /** Called when no charge is unsettled any more. */
  onSettled: (() => void) | undefined
  /** Whether the response was handed over to the socket, or the client disconnected. */
  handedOver: boolean
  /** Ends the request for the limits of its client. */
  release: (() => void) | undefined
  /** The memory that the body of the response uses, or undefined once the request is complete. */
  bodyBytes: number | undefined
  /** Where that memory is from. Undefined before there is a body. */
  bodyMemory: BodyMemory | undefined
}

export const make = (
  startedAt: number,
  requestId: string,
  method: string,
  clientAddress: string
): RequestContext => ({
  startedAt,
  requestId,
  method,
  clientAddress,
  path: undefined,
  traceId: undefined,
  client: null,
  route: "-",
  operation: null,
  status: 499,
  code: null,
  detail: undefined,
  cache: null,
  attempts: 0,
  upstreamCost: 0,
  unsettledPrice: 0,
  priceDrift: 0,
  savedCost: 0,
  chargedCost: 0,
  shadowed: false,
  warned: undefined,
  durationMs: 0,
  waitMs: 0,
  bytes: 0,
  quotas: [],
  onUse: undefined,
  onLateUsage: undefined,
  unsettledCharges: 0,
  onSettled: undefined,
  handedOver: false,
  release: undefined,
  bodyBytes: 0,
  bodyMemory: undefined
})

/** Records that a charge may still be refunded. Returns a function that must be called once when this is decided. */
export const addUnsettledCharge = (context: RequestContext): () => void => {
  context.unsettledCharges += 1
  return () => {
    context.unsettledCharges -= 1
    if (context.unsettledCharges === 0) context.onSettled?.()
  }
}

/** Calls `record` as soon as all charges are settled. After a disconnect that takes until the call is interrupted. */
export const whenSettled = (context: RequestContext, record: () => void): void => {
  if (context.unsettledCharges === 0) record()
  else context.onSettled = record
}

export const releaseOnHandOver = (context: RequestContext, release: () => void): void => {
  // The client may disconnect before the request is counted.
  if (context.handedOver) release()
  else context.release = release
}

/** Records that the response was handed over to the socket, is only delayed, or that the client disconnected. */
export const recordHandOver = (context: RequestContext): void => {
  context.handedOver = true
  context.release?.()
  context.release = undefined
}

/**
 * Changes the memory that the body of the response uses until it is sent. Returns false, and changes nothing, if there is
 * not enough.
 */
export const holdBody = (context: RequestContext, memory: BodyMemory, bytes: number): boolean => {
  // The client may disconnect before its response is complete.
  if (context.bodyBytes === undefined) return true
  if (bytes > context.bodyBytes && !memory.tryAcquire(bytes - context.bodyBytes)) return false
  if (bytes < context.bodyBytes) memory.release(context.bodyBytes - bytes)
  context.bodyBytes = bytes
  context.bodyMemory = memory
  return true
}

/** Records that the response was sent, or that the client disconnected. Must be called once. */
export const recordCompletion = (context: RequestContext): void => {
  const { bodyBytes, bodyMemory } = context
  context.bodyBytes = undefined
  if (bodyBytes !== undefined) bodyMemory?.release(bodyBytes)
}

/**
 * Records the usage of a call, and by how many units it changes the charge. Usage that arrives after the request has completed is
 * also reported to `onLateUsage`: the engine may still revalidate a stale entry, or finish an upstream request whose client
 * disconnected.
 */
export const recordUsage = (
  context: RequestContext,
  usage: CallUsage,
  charged: number,
  key: string | null
): void => {
  addUsage(context, usage, charged)
  context.waitMs += usage.waitMillis
  context.onUse?.(context, usage, key)
  context.onLateUsage?.(context, usage, charged)
}

export const toAccessLogEntry = (
  context: RequestContext,
  status: number,
  bytes: number,
  now: number
): AccessLogEntry => {
  context.status = status
  context.bytes = bytes
  // Not negative if the clock was set back.
  context.durationMs = Math.max(0, now - context.startedAt)
  return context
}

/** The id of the request that a call to the engine is made for. Log lines of the call contain it. Default: null. */
export class CurrentRequestId extends Context.Reference<CurrentRequestId>()("quarry-proxy/CurrentRequestId", {
  defaultValue: (): string | null => null
}) {}
