/**
 * Records completed requests in the access log, the usage statistics, the metrics and the saved usage, which it sums in memory and
 * saves once per second. A process that is killed loses at most what it collected since.
 */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import { dayMillis } from "@blockquarry/http/RateLimitStore"
import * as Telemetry from "@blockquarry/http/Telemetry"
import * as UsageStore from "@blockquarry/redis/UsageStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { outcomeOf, Usage } from "../exchange/AccessLogEntry.ts"
import * as AccessLog from "../observability/AccessLog.ts"
import type { LogSink, LogStyle } from "../observability/Logging.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { ProxyMetrics } from "./ProxyMetrics.ts"
import { UsageStats } from "./UsageStats.ts"

interface Recorder {
  /** Counts usage on the day that it is. */
  readonly add: (row: Partial<Omit<UsageStore.UsageRow, "day">>) => void
  /** Saves what was added. What cannot be saved is kept for the next time. Must not run twice at once. */
  readonly save: Effect.Effect<void, StoreError>
}

export const recorder = (store: UsageStore.UsageStoreService): Effect.Effect<Recorder> =>
  Effect.map(Effect.clock, (clock) => {
    let sums = UsageStore.makeSums(UsageStore.dimensions)
    /** What could not be saved yet. */
    let pending: { readonly number: number; readonly rows: ReadonlyArray<UsageStore.UsageRow> } | null = null
    let number = 0
    /** Formatting a date for each row would take long. */
    let today = { name: "", start: Number.POSITIVE_INFINITY }
    const save: Effect.Effect<void, StoreError> = Effect.suspend(() => {
      const retried = pending !== null
      if (pending === null) {
        const rows = sums.rows()
        if (rows.length === 0) return Effect.void
        sums = UsageStore.makeSums(UsageStore.dimensions)
        pending = { number: ++number, rows }
      }
      return Effect.flatMap(store.add(pending.rows, pending.number), () => {
        pending = null
        // What the batch before could not take follows it.
        return retried ? save : Effect.void
      })
    })
    return {
      add: (row) => {
        const now = clock.unsafeCurrentTimeMillis()
        if (now < today.start || now >= today.start + dayMillis) {
          const start = Math.floor(now / dayMillis) * dayMillis
          today = { name: UsageStore.dayOf(start), start }
        }
        sums.add({ ...row, day: today.name })
      },
      save
    }
  })

const available = Metric.tagged(Telemetry.storeAvailable, "store", "usage")

/** Saves usage once per second, and logs when that begins to fail and when it succeeds again. */
const saveRegularly = (save: Recorder["save"]) => {
  let failed = false
  const setFailed = (next: boolean, log: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const changed = failed !== next
      failed = next
      return Effect.zipRight(Metric.set(available, next ? 0 : 1), changed ? log : Effect.void)
    })
  const fail = (log: Effect.Effect<void>) => setFailed(true, log)
  const saving = Effect.matchEffect(save, {
    onFailure: ({ reason }) =>
      fail(Effect.logWarning(`usage cannot be saved, and is kept in memory meanwhile: ${reason}`)),
    onSuccess: () => setFailed(false, Effect.logInfo("usage is saved again"))
  }).pipe(Effect.catchAllDefect((defect) => fail(Effect.logError("saving usage: internal error", defect))))
  return Effect.repeat(Effect.uninterruptible(saving), Schedule.spaced("1 second"))
}

/** Returns what adds to the saved usage. Fails if it cannot be saved in the file. */
const addToStore = Effect.gen(function*() {
  const store = yield* UsageStore.UsageStore
  const none: Recorder["add"] = () => {}
  if (store === null) return none
  yield* store.add([], 0)
  const { add, save } = yield* recorder(store)
  // Finalizers run in reverse order: first the loop ends.
  yield* Effect.addFinalizer(() =>
    Effect.catchAll(save, ({ reason }) => Effect.logError(`usage could not be saved, and is lost: ${reason}`))
  )
  yield* Effect.forkScoped(saveRegularly(save))
  return add
})

export const layer = (
  log: { readonly sink: LogSink; readonly style: LogStyle }
): Layer.Layer<Usage, StoreError, ActiveConfig | ProxyMetrics | UsageStats> =>
  Layer.scoped(
    Usage,
    Effect.gen(function*() {
      const [activeConfig, metrics, usageStats] = yield* Effect.all([ActiveConfig, ProxyMetrics, UsageStats])
      const add = yield* addToStore
      const teamOf = (client: string): string => {
        const { teams } = activeConfig.current().config
        return teams.find(({ clients }) => clients.includes(client))?.name ?? ""
      }
      return {
        record: (entry) => {
          usageStats.record(entry)
          metrics.record(entry)
          const { client, operation, savedCost: savedPrice } = entry
          if (client !== null && operation !== null) {
            const failures = outcomeOf(entry) === "failed" ? 1 : 0
            add({ team: teamOf(client), client, operation, requests: 1, savedPrice, failures })
          }
          if (activeConfig.current().config.log.requests && !AccessLog.isSuccessfulProbe(entry)) {
            log.sink(AccessLog.accessLogLine(entry, log.style))
          }
        },
        recordUse: (request, usage, key, charged) => {
          const { client, operation } = request
          if (client !== null && operation !== null && key !== null) {
            const { attempts, price, unsettledPrice } = usage
            add({ team: teamOf(client), client, operation, key, attempts, price, unsettledPrice })
          }
          if (charged === null) return
          usageStats.recordLateUsage(request, usage, charged)
          metrics.recordLateUsage(request, usage, charged)
        }
      }
    })
  )
