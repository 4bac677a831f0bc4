/** What is found out about a request while it is answered, for its line in the log. */
import type * as Receipt from "@blockquarry/http/Receipt"
import type { Charge } from "./Budgets.ts"
import type { Budget } from "./Budgets/Standing.ts"
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
  /** That it went beyond its client's budget, where that is only counted. */
  shadowed: boolean
  /** How the client stands, once that is known. */
  budgets: ReadonlyArray<Budget>
  /** Milliseconds of waiting for the client's budget. */
  waited: number
  /** What the engine did for it. */
  readonly receipt: Spending
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
  shadowed: false,
  budgets: [],
  waited: 0,
  receipt: new Spending()
})

/** Notes what was taken from the client's budgets. */
export const charge = (notes: Notes, { budgets, shadowed, units, waited }: Charge): void => {
  notes.budgets = budgets
  notes.charged += shadowed ? 0 : units
  notes.shadowed ||= shadowed
  notes.waited += waited
}

/**
 * A receipt that goes on after the answer: the engine may renew what it gave stale, or end what its client did not wait
 * for, and that is paid for too.
 */
class Spending implements Receipt.Receipt {
  #attempts = 0
  #units = 0
  waited = 0
  /** Told what is spent once the request is over. */
  late: ((attempts: number, units: number) => void) | undefined

  get attempts(): number {
    return this.#attempts
  }

  set attempts(attempts: number) {
    this.late?.(attempts - this.#attempts, 0)
    this.#attempts = attempts
  }

  get units(): number {
    return this.#units
  }

  set units(units: number) {
    this.late?.(0, units - this.#units)
    this.#units = units
  }
}

/** All that is known once the answer has gone. */
export const facts = (
  { at, cache, charged, client, code, id, method, operation, receipt, route, saved, shadowed, waited }: Notes,
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
  shadowed,
  millis: now - at,
  waited: waited + receipt.waited,
  bytes
})
