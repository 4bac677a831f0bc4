/** What a request takes from its client's quotas, and what is left of them. */

/** What is left of one of a client's budgets. */
export interface QuotaStatus {
  readonly name: "rate" | "day"
  readonly limit: number
  /** In so many seconds. */
  readonly windowSeconds: number
  readonly remaining: number
  /** In how many seconds there is more. */
  readonly resetSeconds: number
}

/** What a client was charged, and how it stands now. */
export interface Charge {
  readonly cost: number
  readonly quotas: ReadonlyArray<QuotaStatus>
  /** Milliseconds that it waited for its turn. */
  readonly waitMs: number
  /** That it went beyond its budget, where that is only counted. */
  readonly shadowed: boolean
}
