/** The data of a call that the stages share. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type {
  CircuitOpenError,
  InvalidResponseError,
  LocalLimitError,
  NetworkError,
  RateLimitError,
  RequestSummary,
  TimeoutError
} from "@blockquarry/core/OperationError"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Policies } from "../../ApiOptions.ts"
import type { CallUsage } from "../../CallUsage.ts"
import type { RawResponse } from "../transport/RawResponse.ts"
import type { Transport } from "../transport/Transport.ts"
import type { CallClient } from "./CallClient.ts"
import type { Classification, RetryHint } from "./Classification.ts"
import type { SendObserver } from "./SendObserver.ts"
import type { KeyPool, PooledKey } from "./Upstream.ts"

export interface Call {
  readonly operation: Pick<AnyOperation, "id" | "api" | "retry" | "cost">
  readonly request: EncodedRequest
  readonly client: CallClient
  /** The part of the request that errors contain. */
  readonly summary: RequestSummary
  readonly keyPool: KeyPool
  readonly transport: Transport
  /** The policies of the layer, overridden by those of the call. */
  readonly policies: Policies
  /** When the call times out, in milliseconds since 1970. */
  readonly deadline: number
  /** The attempt timeout of the layer. A call with a shorter timeout does not indicate an unhealthy upstream. */
  readonly layerAttemptTimeout: number
  /** Whether a response without a JSON document is retried. Otherwise, a check of its brackets suffices. */
  readonly needsDocument: boolean
  /** Issues the version of an attempt whose response may be cached. Null if it is not cached. See `CacheEntry`. */
  readonly nextVersion: Effect.Effect<number> | null
  /** Receives the usage of the call; null if nothing observes it. */
  readonly onUsage: ((usage: CallUsage) => void) | null
  /** Observes the requests that are sent for the call; null if nothing does. */
  readonly onSent: SendObserver | null
}

/** A call with the API key of an attempt. */
export interface CallWithKey extends Call {
  readonly key: PooledKey
}

/**
 * What an attempt shows about the upstream. The retry budget, circuit breaker, cooldowns and cache depend on it.
 *
 * - `healthy`: the upstream responded. This includes errors of the request (4xx).
 * - `unhealthy`: it failed.
 * - `throttled`: it responded with 429.
 * - `unknown`: the attempt shows nothing, for example because it was interrupted.
 * - `not-sent`: no request was sent, because of a limit of this program.
 */
export type AttemptHealth = "healthy" | "unhealthy" | "throttled" | "unknown" | "not-sent"

/** A response and its classification. */
export interface AttemptResponse {
  readonly response: RawResponse
  readonly classification: Classification
  readonly health: Exclude<AttemptHealth, "not-sent">
  /** The version of its cache entry. */
  readonly version: number
  /** When the call would have made another attempt, if only its deadline prevented it. */
  readonly beyondDeadline?: number
}

/** Returns the Retry-After of a response in milliseconds. Null if there is none. */
export const retryAfterMillisOf = ({ classification }: AttemptResponse): number | null => {
  const hint = classification._tag === "Complete" ? null : classification.retryHint?.retryAfter ?? null
  const millis = hint === null ? 0 : Duration.toMillis(hint)
  return millis > 0 ? millis : null
}

/** An attempt without a response. `retryHint` is set if another attempt may succeed. */
export interface AttemptNoResponse {
  readonly error:
    | NetworkError
    | TimeoutError
    | InvalidResponseError
    | RateLimitError
    | LocalLimitError
    | CircuitOpenError
  readonly retryHint: RetryHint | null
  readonly health: AttemptHealth
  /** When the call would have continued, if only its deadline prevented it. */
  readonly beyondDeadline?: number
}

/** The result of an attempt. */
export type AttemptResult = Either.Either<AttemptResponse, AttemptNoResponse>

export const healthOf: (result: AttemptResult) => AttemptHealth = Either.match({
  onLeft: ({ health }) => health,
  onRight: ({ health }) => health
})

/** Returns when a call with more time would have continued. Null if its deadline did not end it. */
export const continuesAt: (result: AttemptResult) => number | null = Either.match({
  onLeft: ({ beyondDeadline, error, health }) =>
    // A wait that is too long may be so because of the deadline.
    beyondDeadline ?? (health === "not-sent" && isWaitTooLong(error) ? 0 : null),
  onRight: ({ beyondDeadline }) => beyondDeadline ?? null
})

const isWaitTooLong = (error: AttemptNoResponse["error"]): boolean => {
  switch (error._tag) {
    case "LocalLimitError":
      return error.limit === "rate" || error.limit === "concurrency"
    case "RateLimitError":
      return true
    case "CircuitOpenError":
    case "InvalidResponseError":
    case "NetworkError":
    case "TimeoutError":
      return false
  }
}

/** Describes a result in a log line. */
export const describe: (result: AttemptResult) => string = Either.match({
  onLeft: ({ error }) => {
    switch (error._tag) {
      case "InvalidResponseError":
        return `${error._tag}: ${error.reason}`
      case "NetworkError":
        return `${error._tag}: ${error.summary}`
      case "CircuitOpenError":
      case "LocalLimitError":
      case "RateLimitError":
      case "TimeoutError":
        return error._tag
    }
  },
  onRight: ({ response, classification }) =>
    classification._tag === "Complete"
      ? `${response.status}`
      : `${response.status} ${classification.error._tag}`
})
