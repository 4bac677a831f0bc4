/** What outlives the configuration: the engine with its stores, what was made of answers, and who counts requests. */
import type { EngineService } from "@blockquarry/http/Engine"
import type { RateLimitStoreService } from "@blockquarry/http/RateLimitStore"
import type { Encoded } from "./Answers/Encoded.ts"
import type { Facts } from "./Facts.ts"
import type { Page } from "./Pages.ts"

export interface Process {
  readonly engine: EngineService
  /** Where budgets are counted. */
  readonly budgets: RateLimitStoreService
  readonly encoded: Encoded
  /** Whether somebody collects spans. */
  readonly isTraced: boolean
  /** The proxy's own, by path. */
  readonly pages: ReadonlyMap<string, Page>
  /** Told of every request that is over. */
  readonly over: (facts: Facts) => void
  /** Told what was spent for a request that is over. */
  readonly late: (client: string | null, attempts: number, units: number) => void
}
