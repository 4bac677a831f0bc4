/**
 * Waits for the indexing of a collection. The first request starts it; until it is complete, responses are incomplete.
 */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Options of `waitUntilSynced`. */
export interface SyncOptions {
  /** When to repeat the call. Default: after 2 s, then at intervals that grow to 10 s. */
  readonly schedule?: Schedule.Schedule<unknown> | undefined
  /** Maximum total wait. Default: 2 minutes. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Whether to repeat a call that fails with `NotFoundError`, because the NFT may still be indexed. Default: false. */
  readonly retryNotFound?: boolean | undefined
}

/** The collection was still being indexed when the timeout elapsed. */
export class StillSyncingError extends Data.TaggedError("StillSyncingError") {
  /** Whether the same call may succeed later. */
  get retryable(): true {
    return true
  }

  override get message(): string {
    return "the collection is still being indexed; retry later, or increase the timeout"
  }
}

const defaultSchedule: Schedule.Schedule<unknown> = Schedule.union(
  Schedule.exponential("2 seconds", 1.3),
  Schedule.spaced("10 seconds")
)

/**
 * Repeats a call until its response is no longer `SYNCING`. Fails with `StillSyncingError` when the timeout elapses or the
 * schedule ends.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { waitUntilSynced } from "@blockquarry/http/Sync"
 * import * as Effect from "effect/Effect"
 *
 * const page = Effect.flatMap(DataApi, (data) =>
 *   waitUntilSynced(data.contractNfts({ address: "0x…", chain: "eth" }), { timeout: "1 minute" }))
 */
export const waitUntilSynced = <A extends object, R>(
  call: Effect.Effect<A, OperationError, R>,
  options: SyncOptions = {}
): Effect.Effect<A, OperationError | StillSyncingError, R> =>
  call.pipe(
    Effect.catchIf(
      (error) => options.retryNotFound === true && error._tag === "NotFoundError",
      () => new StillSyncingError()
    ),
    Effect.filterOrFail(
      (response) => !("status" in response && response.status === "SYNCING"),
      () => new StillSyncingError()
    ),
    Effect.retry({
      schedule: options.schedule ?? defaultSchedule,
      while: (error) => error._tag === "StillSyncingError"
    }),
    Effect.timeoutFail({ duration: options.timeout ?? "2 minutes", onTimeout: () => new StillSyncingError() })
  )
