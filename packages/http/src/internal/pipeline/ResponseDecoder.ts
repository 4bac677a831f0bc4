/** Decodes the responses of an operation, each at most once, even if it is served from the cache repeatedly. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Either from "effect/Either"
import type { RawResponse } from "../transport/RawResponse.ts"
import { decode } from "./Decode.ts"
import type { EngineResponse } from "./EngineResponse.ts"

export interface ResponseDecoder<Output> {
  readonly decode: (
    engineResponse: Pick<EngineResponse, "response" | "classification">
  ) => Either.Either<Output, OperationError>
}

export const make = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>
): ResponseDecoder<Output> => {
  // A decoded value lives as long as its response.
  const decoded = new WeakMap<RawResponse, Either.Either<Output, OperationError>>()
  return {
    decode: ({ response, classification: classifyResponse }) => {
      const existing = decoded.get(response)
      if (existing !== undefined) return existing
      const classification = classifyResponse()
      const value: Either.Either<Output, OperationError> = classification._tag === "Complete"
        ? decode(operation, classification)
        : Either.left(classification.error)
      decoded.set(response, value)
      return value
    }
  }
}
