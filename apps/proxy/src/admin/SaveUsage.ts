/** Collects usage, and saves it once per second. A process that is killed loses at most what it collected since. */
import type { CallUsage } from "@blockquarry/http/CallUsage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as SavedUsage from "./SavedUsage.ts"
import * as UsageCounts from "./UsageCounts.ts"
import { UsageStore, type UsageStoreService } from "./UsageStore.ts"

interface Batch {
  readonly number: number
  readonly rows: ReadonlyArray<SavedUsage.UsageRow>
}

export class SaveUsage extends Context.Tag("quarry-proxy/SaveUsage")<SaveUsage, {
  /** Counts a request that has ended. */
  readonly recordRequest: (entry: AccessLogEntry) => void
  /** Counts what a request used of an API key, as soon as it is known. */
  readonly recordUse: (
    request: Pick<AccessLogEntry, "client" | "operation">,
    usage: CallUsage,
    key: string | null
  ) => void
  /** Saves what was collected. Must not run twice at once. */
  readonly save: Effect.Effect<void>
}>() {}

const none: SaveUsage["Type"] = { recordRequest: () => {}, recordUse: () => {}, save: Effect.void }

/** `teamOf` returns the team of a client, or `""`. */
export const make = (
  store: UsageStoreService,
  teamOf: (client: string) => string
): Effect.Effect<SaveUsage["Type"]> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    let sums = SavedUsage.makeSums(SavedUsage.dimensions)
    /** What could not be saved yet. */
    let pending: Batch | null = null
    let number = 0
    let failed = false
    /** Formatting a date for each request would take long. */
    let today = { name: "", start: Number.POSITIVE_INFINITY }
    const add = (
      { client, operation }: Pick<AccessLogEntry, "client" | "operation">,
      row: Partial<SavedUsage.UsageRow>
    ): void => {
      if (client === null || operation === null) return
      const now = clock.unsafeCurrentTimeMillis()
      if (now < today.start || now >= today.start + SavedUsage.dayMillis) {
        const start = Math.floor(now / SavedUsage.dayMillis) * SavedUsage.dayMillis
        today = { name: SavedUsage.dayOf(start), start }
      }
      sums.add({ day: today.name, team: teamOf(client), client, operation, ...row })
    }
    const save = Effect.gen(function*() {
      if (pending === null) {
        const rows = sums.rows()
        if (rows.length === 0) return
        sums = SavedUsage.makeSums(SavedUsage.dimensions)
        pending = { number: ++number, rows }
      }
      yield* store.add(pending.rows, pending.number)
      pending = null
      if (failed) yield* Effect.logInfo("usage is saved again")
      failed = false
    }).pipe(Effect.catchAll(({ reason }) => {
      if (failed) return Effect.void
      failed = true
      return Effect.logWarning(`usage cannot be saved, and is kept in memory meanwhile: ${reason}`)
    }))
    return {
      recordRequest: (entry: AccessLogEntry) =>
        add(entry, {
          requests: 1,
          savedPrice: entry.savedCost,
          failures: UsageCounts.outcomeOf(entry) === "failed" ? 1 : 0
        }),
      recordUse: (
        request: Pick<AccessLogEntry, "client" | "operation">,
        { attempts, price, unsettledPrice }: CallUsage,
        key: string | null
      ) => {
        if (key !== null) add(request, { key, attempts, price, unsettledPrice })
      },
      // What the batch before could not take follows it.
      save: Effect.zipRight(save, Effect.suspend(() => pending === null ? save : Effect.void))
    }
  })

export const layer: Layer.Layer<SaveUsage, never, ActiveConfig> = Layer.scoped(
  SaveUsage,
  Effect.gen(function*() {
    const store = yield* UsageStore
    if (store === null) return none
    const activeConfig = yield* ActiveConfig
    const saving = yield* make(store, (client) => {
      const { teams } = activeConfig.current().config
      return teams.find(({ clients }) => clients.includes(client))?.name ?? ""
    })
    // Finalizers run in reverse order: first the loop ends.
    yield* Effect.addFinalizer(() => saving.save)
    yield* Effect.forkScoped(Effect.repeat(Effect.uninterruptible(saving.save), Schedule.spaced("1 second")))
    return saving
  })
)
