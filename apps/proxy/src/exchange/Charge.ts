/** What a request takes from the quotas of its client, and the remaining units. */
import type * as Effect from "effect/Effect"

/** A quota per day or month: the client's own, that of its team, or that of all clients. */
export type QuotaName = `${"" | "team-" | "all-"}${"day" | "month"}`

/** The state of one quota of a client. */
export interface QuotaStatus {
  readonly name: "rate" | QuotaName
  readonly limit: number
  /** The limit at which it warns: equal to `limit` if it does not reject requests. Null if it does not warn. */
  readonly soft: number | null
  /** Length of the window, in seconds. */
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until units become available again. */
  readonly resetSeconds: number
  /** Whether it rejects requests. A soft quota does not. */
  readonly rejects: boolean
  /** Whether a soft quota is used up. */
  readonly warns: boolean
}

/** The result of charging a client, and the state of its quotas afterwards. */
export interface Charge {
  /** The units that were taken from the quotas per day and month, as far as the client has any. */
  readonly price: number
  readonly quotas: ReadonlyArray<QuotaStatus>
  /** Time that the request waited in the client's queue, in milliseconds. */
  readonly waitMs: number
  readonly shadowed: boolean
  /** Gives units back to these quotas or, if negative, takes more, without a wait. */
  readonly correct: (units: number) => void
  /** Gives the units back, and returns the state of the quotas afterwards. Must be used at most once. */
  readonly refund: Effect.Effect<ReadonlyArray<QuotaStatus>>
}
