/** What a request takes from the quotas of its client, and the remaining units. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type * as Effect from "effect/Effect"
import type { Config } from "../config/Config.ts"

/** Returns the units that an operation costs. */
export const costOf = ({ costs }: Pick<Config, "costs">, { cost, id }: AnyOperation): number => {
  const configured: Readonly<Record<string, number | undefined>> = costs
  return configured[id] ?? cost
}

/** The state of one quota of a client. */
export interface QuotaStatus {
  readonly name: "rate" | "day"
  readonly limit: number
  /** Length of the window, in seconds. */
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until units become available again. */
  readonly resetSeconds: number
}

/** The result of charging a client, and the state of its quotas afterwards. */
export interface Charge {
  readonly cost: number
  readonly quotas: ReadonlyArray<QuotaStatus>
  /** Time that the request waited in the client's queue, in milliseconds. */
  readonly waitMs: number
  readonly shadowed: boolean
  /** Gives the units back, and returns the state of the quotas afterwards. Must be used at most once. */
  readonly refund: Effect.Effect<ReadonlyArray<QuotaStatus>>
}
