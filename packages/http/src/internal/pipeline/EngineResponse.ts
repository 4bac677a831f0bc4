/**
 * Answers, and where they came from.
 *
 * @since 0.1.0
 */
import type { RawResponse } from "../transport/RawResponse.ts"
import type { Classification } from "./Classification.ts"

/**
 * - `service`: it was asked for this call, or for another that asked the same at the same time.
 * - `cache`: it was kept, and is fresh.
 * - `stale`: it was kept, and is not fresh any more; see `ResponseCache`.
 *
 * @since 0.1.0
 * @category models
 */
export type ResponseSource = "upstream" | "cache" | "stale"

/**
 * An answer as a caller gets it.
 *
 * @since 0.1.0
 * @category models
 */
export interface EngineResponse {
  readonly response: RawResponse
  /** What the answer means; worked out when it is asked for. */
  readonly classification: () => Classification
  readonly source: ResponseSource
  /** When the answer was kept, in milliseconds since 1970; null where it comes from the service. */
  readonly storedAt: number | null
  /** Until when a kept answer is fresh, in milliseconds since 1970; null where it comes from the service. */
  readonly freshUntil: number | null
  /** Whether a request that another caller had begun answered this call too. */
  readonly collapsed: boolean
}
