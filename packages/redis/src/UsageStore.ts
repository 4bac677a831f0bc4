/**
 * Storage of usage: counters per day, team, client, operation and API key, which outlive the process. Unstable: for gateways.
 */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const dimensions = ["day", "team", "client", "operation", "key"] as const

/** Prices are in units: as responses report them or, for the part `unsettledPrice`, as expected. */
export const counters = ["requests", "attempts", "price", "unsettledPrice", "savedPrice", "failures"] as const

export type Dimension = typeof dimensions[number]

/**
 * The day is in UTC, as in `2026-11-24`. A client without a team has the team `""`. Attempts and prices have the name of an API
 * key, and requests, savings and failures, which no key causes, have the key `""`.
 */
export const UsageRow = Schema.Struct({
  day: Schema.String,
  team: Schema.String,
  client: Schema.String,
  operation: Schema.String,
  key: Schema.String,
  requests: Schema.Number,
  attempts: Schema.Number,
  price: Schema.Number,
  unsettledPrice: Schema.Number,
  savedPrice: Schema.Number,
  failures: Schema.Number
})

export type UsageRow = typeof UsageRow.Type

export interface UsageStoreService {
  /**
   * Adds rows, all or none. One that failed may be repeated with the same number; the next batch has a greater one. Without rows it
   * only fails if usage cannot be saved.
   */
  readonly add: (rows: ReadonlyArray<UsageRow>, number: number) => Effect.Effect<void, StoreError>
  /** Calls `onRow` with the rows from one day to another. */
  readonly read: (
    from: string,
    to: string,
    onRow: (row: UsageRow) => void
  ) => Effect.Effect<void, StoreError>
}

/** Default: null, usage is not saved. */
export class UsageStore extends Context.Reference<UsageStore>()("@blockquarry/redis/UsageStore", {
  defaultValue: (): UsageStoreService | null => null
}) {}

export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Whether a text is a day, as in `2026-11-24`. */
export const isDay = (text: string): boolean => {
  const millis = /^\d{4}-/.test(text) ? Date.parse(text) : NaN
  return !Number.isNaN(millis) && dayOf(millis) === text
}

export type MutableRow = { -readonly [Name in keyof UsageRow]: UsageRow[Name] }

export const emptyRow: UsageRow = {
  day: "",
  team: "",
  client: "",
  operation: "",
  key: "",
  requests: 0,
  attempts: 0,
  price: 0,
  unsettledPrice: 0,
  savedPrice: 0,
  failures: 0
}

/** Sums rows with the same values of some dimensions. The others are `""`. */
export const makeSums = (by: ReadonlyArray<Dimension>) => {
  const sums = new Map<string, MutableRow>()
  return {
    add: (row: Partial<UsageRow>): void => {
      const names = by.map((dimension) => row[dimension] ?? "")
      const id = names.join("\n")
      let sum = sums.get(id)
      if (sum === undefined) {
        sum = { ...emptyRow }
        for (const [index, dimension] of by.entries()) sum[dimension] = names[index] ?? ""
        sums.set(id, sum)
      }
      for (const counter of counters) sum[counter] += row[counter] ?? 0
    },
    size: () => sums.size,
    rows: (): ReadonlyArray<UsageRow> => [...sums.values()]
  }
}
