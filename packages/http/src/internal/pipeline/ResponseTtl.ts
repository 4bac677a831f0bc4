/** The TTL of responses. Only complete, valid responses are cached. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type { AttemptResponse, Call } from "./Call.ts"
import type { ChainHeads } from "./ChainHeads.ts"
import type { ResponseDecoder } from "./ResponseDecoder.ts"

/** Returns the TTL in milliseconds. Null if the response must not be cached. */
export const responseTtl = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I,
  call: Call,
  { response, classification }: AttemptResponse,
  decoder: ResponseDecoder<Output>,
  chainHeads: ChainHeads
): number | null => {
  if (classification._tag === "Malformed") return null
  const value = decoder.decode({ response, classification: () => classification })
  if (Either.isLeft(value)) {
    return operation.cacheNotFound && isSharedByAllKeys(value.left)
      ? Duration.toMillis(call.policies.cache.negative.notFound)
      : null
  }
  if (classification._tag === "Complete") chainHeads.observe(call, classification.document)
  const ttl = operation.ttl(input, () => value.right)
  switch (ttl._tag) {
    case "NoStore":
      return null
    case "Immutable":
      return maxTtlMillis
    case "MaxAge":
      return Duration.toMillis(ttl.duration)
    case "UpToBlock":
      return Duration.toMillis(chainHeads.isFinal(call, ttl.block) ? ttl.finalizedTtl : ttl.recentTtl)
  }
}

/** Whether every API key gets this error. Only that the item does not exist is independent of the key. */
const isSharedByAllKeys = (error: OperationError): boolean => {
  switch (error._tag) {
    case "NotFoundError":
      return true
    case "AuthenticationError":
    case "CircuitOpenError":
    case "InvalidInputError":
    case "InvalidResponseError":
    case "LocalLimitError":
    case "NetworkError":
    case "PermissionDeniedError":
    case "PlanQuotaExceededError":
    case "RateLimitError":
    case "RequestRejectedError":
    case "ServerError":
    case "TimeoutError":
      return false
  }
}

/** The TTL of immutable responses: 30 days. */
const maxTtlMillis = 30 * 24 * 3_600_000
