/** Collects usage, and saves it once per second. A process that is killed loses at most what it collected since. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { UsageStore } from "@blockquarry/redis/UsageStore"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { outcomeOf, type Usage } from "../exchange/AccessLogEntry.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as UsageRecorder from "./UsageRecorder.ts"

type SaveUsage = Pick<Usage["Type"], "record" | "recordUse">

const available = Metric.tagged(Telemetry.storeAvailable, "store", "usage")

/** Saves usage, and logs when that begins to fail and when it succeeds again. */
const saving = (save: UsageRecorder.UsageRecorder["save"]): Effect.Effect<void> => {
  let failed = false
  const setFailed = (next: boolean, log: Effect.Effect<void>) =>
    Effect.suspend(() => {
      const changed = failed !== next
      failed = next
      return Effect.zipRight(Metric.set(available, next ? 0 : 1), changed ? log : Effect.void)
    })
  const fail = (log: Effect.Effect<void>) => setFailed(true, log)
  return Effect.matchEffect(save, {
    onFailure: ({ reason }) =>
      fail(Effect.logWarning(`usage cannot be saved, and is kept in memory meanwhile: ${reason}`)),
    onSuccess: () => setFailed(false, Effect.logInfo("usage is saved again"))
  }).pipe(Effect.catchAllDefect((defect) => fail(Effect.logError("saving usage: internal error", defect))))
}

/** Fails if usage cannot be saved in the file. */
export const make: Effect.Effect<SaveUsage, StoreError, ActiveConfig | Scope.Scope> = Effect.gen(function*() {
  const store = yield* UsageStore
  if (store === null) return { record: () => {}, recordUse: () => {} }
  yield* store.add([], 0)
  const activeConfig = yield* ActiveConfig
  const { record, save } = yield* UsageRecorder.make(store)
  // Finalizers run in reverse order: first the loop ends.
  yield* Effect.addFinalizer(() =>
    Effect.catchAll(
      save,
      ({ reason }) => Effect.logError(`usage could not be saved, and is lost: ${reason}`)
    )
  )
  yield* Effect.forkScoped(Effect.repeat(Effect.uninterruptible(saving(save)), Schedule.spaced("1 second")))
  const teamOf = (client: string): string => {
    const { teams } = activeConfig.current().config
    return teams.find(({ clients }) => clients.includes(client))?.name ?? ""
  }
  const saved: SaveUsage = {
    record: (entry) => {
      const { client, operation, savedCost } = entry
      if (client === null || operation === null) return
      const failures = outcomeOf(entry) === "failed" ? 1 : 0
      record({ team: teamOf(client), client, operation, requests: 1, savedPrice: savedCost, failures })
    },
    recordUse: ({ client, operation }, { attempts, price, unsettledPrice }, key) => {
      if (client === null || operation === null || key === null) return
      record({ team: teamOf(client), client, operation, key, attempts, price, unsettledPrice })
    }
  }
  return saved
})
