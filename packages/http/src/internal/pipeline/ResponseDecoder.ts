/** Decodes the responses of an operation. A response that may be cached is decoded once, however often it is served. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Either from "effect/Either"
import type { RawResponse } from "../transport/RawResponse.ts"
import { decode } from "./Decode.ts"
import type { EngineResponse } from "./EngineResponse.ts"

export interface ResponseDecoder<Output> {
  readonly decode: (
    engineResponse: Pick<EngineResponse, "response" | "classification">,
    mayBeCached: boolean
  ) => Either.Either<Output, OperationError>
}

export const make = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>
): ResponseDecoder<Output> => {
  // A decoded value lives as long as its response, but at least until the next major garbage collection. Minor ones copy
  // it until then, which takes longer than decoding it, so responses that are used once are not here.
  const decoded = new WeakMap<RawResponse, Either.Either<Output, OperationError>>()
  return {
    decode: ({ response, classification: classifyResponse }, mayBeCached) => {
      const existing = mayBeCached ? decoded.get(response) : undefined
      if (existing !== undefined) return existing
      const classification = classifyResponse()
      const value: Either.Either<Output, OperationError> = classification._tag === "Complete"
        ? decode(operation, classification)
        : Either.left(classification.error)
      if (mayBeCached) decoded.set(response, value)
      return value
    }
  }
}
