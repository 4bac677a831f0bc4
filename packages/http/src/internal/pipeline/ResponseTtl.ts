/** The TTL of responses. Only complete JSON documents are cached, and errors that every API key gets. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type { AttemptResponse, Call } from "./Call.ts"
import { blockInBytes, blockInDocument, type ChainHeads } from "./ChainHeads.ts"

/**
 * Why a response is not cached:
 *
 * - `incomplete`: it is not a complete JSON document.
 * - `error`: it is an error other than "not found", or "not found" is not cached for this operation.
 * - `no_store`: the operation does not allow it, for example because the resource is still being indexed.
 * - `unexpected_shape`: it does not fit the model of the operation. Raw responses need not fit it.
 * - `secret`: it contains an API key.
 */
export type UncacheableReason = "incomplete" | "error" | "no_store" | "unexpected_shape" | "secret"

/**
 * Returns the TTL in milliseconds, or why the response must not be cached. `fitsModel` is called only for a document that
 * may be cached otherwise. The body is parsed only if the rule of the operation reads the document.
 */
export const responseTtl = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I,
  call: Call,
  { classification, response }: AttemptResponse,
  fitsModel: () => boolean,
  chainHeads: ChainHeads
): number | UncacheableReason => {
  const notFoundTtl = () =>
    operation.cacheNotFound ? Duration.toMillis(call.policies.cache.negative.notFound) : "error"
  switch (classification._tag) {
    case "Malformed":
      return "incomplete"
    case "Rejected":
      return isSharedByAllKeys(classification.error) ? notFoundTtl() : "error"
    case "Complete":
  }
  let isJson = true
  const document = () =>
    Either.getOrElse(classification.document, () => {
      isJson = false
    })
  if (operation.isNotFound(document)) return notFoundTtl()
  if (!fitsModel()) return "unexpected_shape"
  const ttl = operation.ttl(input, document)
  if (!isJson) return "incomplete"
  if (operation.parameters.some(({ name }) => name === "chain")) {
    chainHeads.observe(
      call,
      classification.isParsed ? blockInDocument(document()) : blockInBytes(response.bytes)
    )
  }
  switch (ttl._tag) {
    case "NoStore":
      return "no_store"
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
