/** What the stages know of a call, and what they pass on. */
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
import * as Either from "effect/Either"
import type { Policies } from "../../ApiOptions.ts"
import type { CallUsage } from "../../CallUsage.ts"
import type { RawResponse } from "../transport/RawResponse.ts"
import type { Transport } from "../transport/Transport.ts"
import type { Classification, RetryHint } from "./Classification.ts"
import type { KeyPool, PooledKey } from "./Upstream.ts"

export interface Call {
  readonly operation: Pick<AnyOperation, "id" | "api" | "retry" | "cost">
  readonly request: EncodedRequest
  /** What failures keep of the request. */
  readonly summary: RequestSummary
  readonly keyPool: KeyPool
  readonly transport: Transport
  /** Those of the layer, and over them those of the region. */
  readonly policies: Policies
  /** When the call is over, in milliseconds since 1970. */
  readonly deadline: number
  /** How long an attempt of the layer's own may take: who is more hasty says nothing about the service. */
  readonly layerAttemptTimeout: number
  /** What its caller wants to have charged, if so. */
  readonly usage: CallUsage | null
}

/** A call with the key that an attempt goes by. */
export interface CallWithKey extends Call {
  readonly key: PooledKey
}

/**
 * What came of an attempt, as far as it tells of the service. Retry budget, breaker, pauses and cache go by this.
 *
 * - `works`, `fails`: it does. (What it has against a request is no failure.)
 * - `throttled`: it said 429.
 * - `silent`: nothing can be said.
 * - `unsent`: nothing was sent, for reasons of our own.
 */
export type AttemptHealth = "healthy" | "unhealthy" | "throttled" | "unknown" | "not-sent"

/** An answer and what it means. */
export interface AttemptResponse {
  readonly response: RawResponse
  readonly classification: Classification
  readonly health: Exclude<AttemptHealth, "not-sent">
}

/** How many milliseconds an answer wants the key to be left alone; null where it does not say. */
export const retryAfterMillisOf = ({ classification }: AttemptResponse): number | null => {
  const hint = classification._tag === "Complete" ? null : classification.retryHint?.retryAfter ?? null
  const millis = hint === null ? 0 : Duration.toMillis(hint)
  return millis > 0 ? millis : null
}

/** No answer, and whether another attempt may help. */
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
}

/** What came of an attempt: an answer of any kind, or none. */
export type AttemptResult = Either.Either<AttemptResponse, AttemptNoResponse>

export const healthOf: (result: AttemptResult) => AttemptHealth = Either.match({
  onLeft: ({ health }) => health,
  onRight: ({ health }) => health
})
