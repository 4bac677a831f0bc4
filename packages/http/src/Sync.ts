/**
 * Waiting for a collection: its first read starts its indexing, and until that is done answers are incomplete.
 *
 * @since 0.1.0
 */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * @since 0.1.0
 * @category models
 */
export interface SyncOptions {
  /** When to look again; every two seconds, later every ten, where nothing is said. */
  readonly schedule?: Schedule.Schedule<unknown> | undefined
  /** How long is waited in all; two minutes where nothing is said. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Whether an NFT that is not found may still come. False where nothing is said. */
  readonly retryNotFound?: boolean | undefined
}

/**
 * The collection was still being indexed when the timeout elapsed.
 *
 * @since 0.1.0
 * @category errors
 */
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
 * Asks again until the answer does not say `SYNCING` any more. When the time is up, or the schedule ends, it fails
 * with `StillSyncingError`.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { waitUntilSynced } from "@blockquarry/http/Sync"
 * import * as Effect from "effect/Effect"
 *
 * const page = Effect.flatMap(DataApi, (data) =>
 *   waitUntilSynced(data.contractNfts({ address: "0x…", chain: "eth" }), { timeout: "1 minute" }))
 *
 * @since 0.1.0
 * @category combinators
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
