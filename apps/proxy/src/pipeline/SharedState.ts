/** State that survives reloads of the configuration: the engine and its stores, encoded bodies, and statistics. */
import type * as Engine from "@blockquarry/http/Engine"
import type { RateLimitStoreService } from "@blockquarry/http/RateLimitStore"
import type { AccessLogEntry } from "../exchange/AccessLogEntry.ts"
import type { Sampler } from "../observability/Sampler.ts"
import type { ClientLimits } from "../quota/ClientLimits.ts"
import type { RejectionPace } from "../quota/RejectionPace.ts"
import type { RequestTurns } from "../quota/RequestTurns.ts"
import type { ResponseMemory } from "../quota/ResponseMemory.ts"
import type { EncodedBodies } from "../response/EncodedBodies.ts"
import type { PageHandler } from "./PageHandler.ts"
import type { ParsedRequests } from "./ParseRequest.ts"

export interface SharedState {
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number
  readonly engine: Engine.EngineService
  /** The store of client quotas. */
  readonly quotaStore: RateLimitStoreService
  readonly clientLimits: ClientLimits
  readonly responseMemory: ResponseMemory
  readonly rejectionPace: RejectionPace
  readonly requestTurns: RequestTurns
  readonly encodedBodies: EncodedBodies
  readonly parsedRequests: ParsedRequests
  /** Decides which requests are traced; null if no spans are exported. */
  readonly sampler: Sampler | null
  /** The built-in pages, by path. */
  readonly pages: ReadonlyMap<string, PageHandler>
  /** Receives every completed request. */
  readonly onComplete: (entry: AccessLogEntry) => void
  /** Receives usage that arrives after its request has completed. */
  readonly onLateUsage: (client: string | null, attempts: number, cost: number) => void
}
