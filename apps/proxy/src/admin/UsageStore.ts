/** Where usage is saved: in Redis for a fleet, in a file for one process, or nowhere. */
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { UsageRow } from "./SavedUsage.ts"

export interface UsageStoreService {
  /** Adds rows, all or none. One that failed may be repeated with the same number; the next batch has a greater one. */
  readonly add: (rows: ReadonlyArray<UsageRow>, number: number) => Effect.Effect<void, StoreError>
  /** Calls `onRow` with the rows from one day to another. */
  readonly read: (
    from: string,
    to: string,
    onRow: (row: UsageRow) => void
  ) => Effect.Effect<void, StoreError>
}

/** Default: null, usage is not saved. */
export class UsageStore extends Context.Reference<UsageStore>()("quarry-proxy/UsageStore", {
  defaultValue: (): UsageStoreService | null => null
}) {}
