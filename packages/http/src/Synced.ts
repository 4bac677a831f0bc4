/**
 * Waiting for a collection: its first read starts its indexing, and until that is done answers are incomplete.
 *
 * @since 0.1.0
 */
import type { QueryError } from "@blockquarry/core/QueryError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * @since 0.1.0
 * @category models
 */
export interface SyncedOptions {
  /** When to look again; every two seconds, later every ten, where nothing is said. */
  readonly schedule?: Schedule.Schedule<unknown> | undefined
  /** How long is waited in all; two minutes where nothing is said. */
  readonly deadline?: Duration.DurationInput | undefined
  /** Whether an NFT that is not found may still come. False where nothing is said. */
  readonly awaitNotFound?: boolean | undefined
}

/**
 * The collection was still being indexed when the time was up.
 *
 * @since 0.1.0
 * @category errors
 */
export class StillSyncing extends Data.TaggedError("StillSyncing") {
  override get message(): string {
    return "the collection is still being indexed; ask again later or wait longer"
  }
}

const defaultSchedule: Schedule.Schedule<unknown> = Schedule.union(
  Schedule.exponential("2 seconds", 1.3),
  Schedule.spaced("10 seconds")
)

/**
 * Asks again until the answer does not say `SYNCING` any more. When the time is up, or the schedule ends, it fails
 * with `StillSyncing`.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { whenSynced } from "@blockquarry/http/Synced"
 * import * as Effect from "effect/Effect"
 *
 * const page = Effect.flatMap(DataApi, (data) =>
 *   whenSynced(data.contractNfts({ address: "0x…", chain: "eth" }), { deadline: "1 minute" }))
 *
 * @since 0.1.0
 * @category combinators
 */
export const whenSynced = <A extends object, R>(
  ask: Effect.Effect<A, QueryError, R>,
  options: SyncedOptions = {}
): Effect.Effect<A, QueryError | StillSyncing, R> =>
  ask.pipe(
    Effect.catchIf(
      (error) => options.awaitNotFound === true && error._tag === "NotFound",
      () => new StillSyncing()
    ),
    Effect.filterOrFail(
      (answer) => !("status" in answer && answer.status === "SYNCING"),
      () => new StillSyncing()
    ),
    Effect.retry({
      schedule: options.schedule ?? defaultSchedule,
      while: (error) => error._tag === "StillSyncing"
    }),
    Effect.timeoutFail({ duration: options.deadline ?? "2 minutes", onTimeout: () => new StillSyncing() })
  )
