/** How a client stands with its budgets, in the words of the store and in those of headers. */
import type { Cap, Rule, Spent, Turn } from "@blockquarry/http/RateLimitStore"
import type { Client } from "../Clients.ts"

/** What is left of one of a client's budgets. */
export interface Budget {
  readonly name: "rate" | "day"
  readonly limit: number
  /** In so many seconds. */
  readonly window: number
  readonly left: number
  /** In how many seconds there is more. */
  readonly reset: number
}

/** What the store said of the rate and of the day. */
export interface Asked {
  readonly turn: Turn
  readonly today: Spent | null
}

const day = 86_400_000

/** Where a client has no rate. */
export const unlimited: Turn = { _tag: "Go", probe: false, left: Number.POSITIVE_INFINITY }

/** Apart from the accounts of keys, whose names are fingerprints. */
export const accountOf = (name: string): string => `client:${name}`

export const capOf = (perDay: number): Cap => ({ limit: perDay, period: day })

/**
 * All of a window's units may go at once. It says nothing of the dearest operation: over Redis nobody would go before
 * there is room for that, and a small limit would have no burst. Each process has a line for each client instead.
 */
export const ruleOf = ({ limit, window }: NonNullable<Client["limit"]>): Rule => ({
  limit,
  window,
  burst: Math.max(1, limit)
})

/** Milliseconds until there may be enough; 0 where there was. */
export const waitOf = ({ today, turn }: Asked): number => {
  if (today?._tag === "UsedUp") return today.millis
  return turn._tag === "Wait" ? turn.millis : 0
}

export const budgetsOf = (client: Client, { today, turn }: Asked, now: number): ReadonlyArray<Budget> => {
  const rate: ReadonlyArray<Budget> = client.limit === null ? [] : [{
    name: "rate",
    limit: client.limit.limit,
    window: Math.ceil(client.limit.window / 1000),
    left: Math.floor(turn.left),
    reset: Math.ceil((turn._tag === "Wait" ? turn.millis : client.limit.window) / 1000)
  }]
  const daily: ReadonlyArray<Budget> = client.perDay === null || today === null ? [] : [{
    name: "day",
    limit: client.perDay,
    window: day / 1000,
    left: Math.floor(today.left),
    reset: Math.ceil((day - now % day) / 1000)
  }]
  return [...rate, ...daily]
}

/** How a client stands, for itself to read. */
export const headers = (budgets: ReadonlyArray<Budget>): Readonly<Record<string, string>> =>
  budgets.length === 0 ? {} : {
    ratelimit: budgets.map(({ left, name, reset }) => `"${name}";r=${left};t=${reset}`).join(", "),
    "ratelimit-policy": budgets.map(({ limit, name, window }) => `"${name}";q=${limit};w=${window}`).join(
      ", "
    )
  }
