/** Functions that execute operations: those of an engine, or test doubles. */
import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import { CurrentCallOptions } from "../../CallOptions.ts"
import { invalidCallOptions } from "./ValidateOptions.ts"

/** Executes an operation with a decoded input. Default of `request`: the encoded input. */
export interface Executor {
  <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>
  ): (input: I, request?: EncodedRequest) => Effect.Effect<Output, OperationError>
}

/** Fails a call whose options, its own or those of its region, are invalid. */
export const validatingOptions = (executor: Executor): Executor => (operation) => {
  const execute = executor(operation)
  return (input, request) =>
    Effect.flatMap(
      CurrentCallOptions,
      (options) => invalidCallOptions(operation, options) ?? execute(input, request)
    )
}
