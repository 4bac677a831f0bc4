/** What a request takes from the quotas of its client, and the remaining units. */
import type * as Effect from "effect/Effect"

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
  /** The units that were taken from the daily quota, as far as the client has one. */
  readonly price: number
  readonly quotas: ReadonlyArray<QuotaStatus>
  /** Time that the request waited in the client's queue, in milliseconds. */
  readonly waitMs: number
  readonly shadowed: boolean
  /** Gives units back to the daily quota or, if negative, takes more, without a wait. */
  readonly correct: (units: number) => void
  /** Gives the units back, and returns the state of the quotas afterwards. Must be used at most once. */
  readonly refund: Effect.Effect<ReadonlyArray<QuotaStatus>>
}
