/** Sums usage in memory until it is saved. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import { dayMillis } from "@blockquarry/http/RateLimitStore"
import {
  dayOf,
  dimensions,
  makeSums,
  type UsageRow,
  type UsageStoreService
} from "@blockquarry/redis/UsageStore"
import * as Effect from "effect/Effect"

export interface UsageRecorder {
  /** Counts usage on the day that it is. */
  readonly record: (row: Partial<Omit<UsageRow, "day">>) => void
  /** Saves what was recorded. What cannot be saved is kept for the next time. Must not run twice at once. */
  readonly save: Effect.Effect<void, StoreError>
}

export const make = (store: UsageStoreService): Effect.Effect<UsageRecorder> =>
  Effect.map(Effect.clock, (clock) => {
    let sums = makeSums(dimensions)
    /** What could not be saved yet. */
    let pending: { readonly number: number; readonly rows: ReadonlyArray<UsageRow> } | null = null
    let number = 0
    /** Formatting a date for each row would take long. */
    let today = { name: "", start: Number.POSITIVE_INFINITY }
    const save: Effect.Effect<void, StoreError> = Effect.suspend(() => {
      const retried = pending !== null
      if (pending === null) {
        const rows = sums.rows()
        if (rows.length === 0) return Effect.void
        sums = makeSums(dimensions)
        pending = { number: ++number, rows }
      }
      return Effect.flatMap(store.add(pending.rows, pending.number), () => {
        pending = null
        // What the batch before could not take follows it.
        return retried ? save : Effect.void
      })
    })
    return {
      record: (row) => {
        const now = clock.unsafeCurrentTimeMillis()
        if (now < today.start || now >= today.start + dayMillis) {
          const start = Math.floor(now / dayMillis) * dayMillis
          today = { name: dayOf(start), start }
        }
        sums.add({ ...row, day: today.name })
      },
      save
    }
  })
