/** Functions that execute operations: those of an engine, or test doubles. */
import type { AnyOperation, Operation } from "@blockquarry/core/Operation"
import type { ListOperationError, OperationError } from "@blockquarry/core/OperationError"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CallOptions from "../../CallOptions.ts"
import type { ListCallOptions } from "../../Pagination.ts"
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
      CallOptions.CurrentCallOptions,
      (options) =>
        (options === CallOptions.none ? null : invalidCallOptions(operation, options)) ??
          execute(input, request)
    )
}

/** Calls with options of its own, if it has any. */
export const withOptions = <A, E>(
  call: Effect.Effect<A, E>,
  options: CallOptions.CallOptions | undefined
): Effect.Effect<A, E> => options === undefined ? call : CallOptions.withCallOptions(call, options)

/** Streams with options of its own, if it has any. Fails if they are invalid. */
export const streamWithOptions = <A>(
  operation: Pick<AnyOperation, "id" | "parameters">,
  options: ListCallOptions | undefined,
  stream: Effect.Effect<Stream.Stream<A, ListOperationError>, ListOperationError>
): Stream.Stream<A, ListOperationError> =>
  options === undefined
    ? Stream.unwrap(stream)
    : CallOptions.streamWithCallOptions(
      Stream.unwrap(invalidCallOptions(operation, options) ?? stream),
      options
    )
