/**
 * Storage of usage: counters per day, team, client, operation and API key, which outlive the process. In a file, or shared by a
 * fleet (`RedisUsageStore` of `@blockquarry/redis`). Unstable: for gateways.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UsageFile from "./internal/stores/UsageFile.ts"
import {
  dayOf,
  dimensions,
  makeSums,
  type UsageRow,
  type UsageStoreService
} from "./internal/stores/UsageRows.ts"
import { dayMillis } from "./RateLimitStore.ts"
import type { StoreError } from "./StoreError.ts"

export {
  counters,
  dayOf,
  type Dimension,
  dimensions,
  emptyRow,
  isDay,
  makeSums,
  type MutableRow,
  type UsageRow,
  type UsageStoreService
} from "./internal/stores/UsageRows.ts"

/** Default: null, usage is not saved. */
export class UsageStore extends Context.Reference<UsageStore>()("@blockquarry/http/UsageStore", {
  defaultValue: (): UsageStoreService | null => null
}) {}

export interface UsageFileOptions {
  readonly file: string
  /** The number of days for which usage is kept. */
  readonly retention: number
}

/**
 * Creates a store in a file of this machine, which only appends: each batch is a line. It is replaced by its sums, without those
 * beyond the retention, when it has grown by 8 MiB and at least doubled, and by a process whose first batch finds more than 8 MiB.
 */
export const file: (
  options: UsageFileOptions
) => Effect.Effect<UsageStoreService, never, FileSystem.FileSystem> = UsageFile.make

export const layerFile = (options: UsageFileOptions): Layer.Layer<never, never, FileSystem.FileSystem> =>
  Layer.effect(UsageStore, file(options))

export interface UsageRecorder {
  /** Counts usage on the day that it is. */
  readonly record: (row: Partial<Omit<UsageRow, "day">>) => void
  /** Saves what was recorded. What cannot be saved is kept for the next time. Must not run twice at once. */
  readonly save: Effect.Effect<void, StoreError>
}

/** Creates a recorder, which sums usage in memory until it is saved. */
export const makeRecorder = (store: UsageStoreService): Effect.Effect<UsageRecorder> =>
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
