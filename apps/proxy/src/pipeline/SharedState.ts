/** What outlives the configuration: the engine with its stores, what was made of answers, and who counts requests. */
import type { Engine } from "@blockquarry/http/Gateway"
import type { RateLimitStoreService } from "@blockquarry/http/RateLimitStore"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type { EncodedBodies } from "../response/EncodedBodies.ts"
import type { PageHandler } from "./PageHandler.ts"

export interface SharedState {
  readonly engine: Engine.EngineService
  /** Where budgets are counted. */
  readonly quotaStore: RateLimitStoreService
  readonly encodedBodies: EncodedBodies
  /** Whether somebody collects spans. */
  readonly tracingEnabled: boolean
  /** The proxy's own, by path. */
  readonly pages: ReadonlyMap<string, PageHandler>
  /** Told of every request that is over. */
  readonly onComplete: (entry: AccessLogEntry) => void
  /** Told what was spent for a request that is over. */
  readonly onLateUsage: (client: string | null, attempts: number, cost: number) => void
}
