/** Responses with their source. */
import type { RawResponse } from "../../RawResponse.ts"
import type { Classification } from "./Classification.ts"

/**
 * - `upstream`: from a request of this call, or of an identical concurrent call.
 * - `cache`: a fresh cache entry.
 * - `stale`: a stale cache entry; see `ResponseCache`.
 */
export type ResponseSource = "upstream" | "cache" | "stale"

/** A response with its source. */
export interface EngineResponse {
  readonly response: RawResponse
  /** Returns the classification of the response, which is computed on demand. */
  readonly classification: () => Classification
  readonly source: ResponseSource
  /** When the response was cached, in milliseconds since 1970. Null unless it comes from the cache. */
  readonly storedAt: number | null
  /** Until when the cache entry is fresh, in milliseconds since 1970. Null unless it comes from the cache. */
  readonly freshUntil: number | null
  /** Whether the call was coalesced with another one. */
  readonly coalesced: boolean
}
