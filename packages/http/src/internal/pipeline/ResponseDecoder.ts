/** Reading answers for one operation, each once however often it is given from the cache. */
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
  // What was read lives as long as the answer that it was read from: in a store, or not at all.
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
