/** What is found out about a request while it is answered, for its line in the log. */
import * as Receipt from "@blockquarry/http/Receipt"
import type { CacheState, Facts } from "./Facts.ts"
import type * as Failure from "./Failure.ts"

export interface Notes {
  readonly at: number
  readonly id: string
  readonly method: string
  client: string | null
  route: string
  operation: string | null
  code: Failure.Code | null
  cache: CacheState | null
  saved: number
  charged: number
  /** Milliseconds of waiting for the client's budget. */
  waited: number
  /** What the engine did for it. */
  readonly receipt: Receipt.Receipt
}

export const make = (at: number, id: string, method: string): Notes => ({
  at,
  id,
  method,
  client: null,
  route: "-",
  operation: null,
  code: null,
  cache: null,
  saved: 0,
  charged: 0,
  waited: 0,
  receipt: Receipt.make()
})

/** All that is known once the answer has gone. */
export const facts = (
  { at, cache, charged, client, code, id, method, operation, receipt, route, saved, waited }: Notes,
  status: number,
  bytes: number,
  now: number
): Facts => ({
  at,
  id,
  client,
  method,
  route,
  operation,
  status,
  code,
  cache,
  attempts: receipt.attempts,
  cost: receipt.units,
  saved,
  charged,
  millis: now - at,
  waited: waited + receipt.waited,
  bytes
})
