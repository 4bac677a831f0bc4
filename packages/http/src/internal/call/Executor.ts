/** Functions that execute operations: those of an engine, or test doubles. */
import type { AnyOperation, Operation } from "@blockquarry/core/Operation"
import {
  InvalidInputError,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import { queryIssues } from "@blockquarry/core/QueryParameters"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as CallOptions from "../../CallOptions.ts"
import { optionIssues } from "../../gateway/Options.ts"
import * as Pagination from "../../Pagination.ts"

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
  options: Pagination.ListCallOptions | undefined,
  stream: Effect.Effect<Stream.Stream<A, ListOperationError>, ListOperationError>
): Stream.Stream<A, ListOperationError> =>
  options === undefined
    ? Stream.unwrap(stream)
    : CallOptions.streamWithCallOptions(
      Stream.unwrap(invalidCallOptions(operation, options) ?? stream),
      options
    )

const callSchema = Schema.Struct({ ...CallOptions.schema.fields, ...Pagination.schema.fields })

/** Returns an error that names every invalid option of a call, as in `retry.attempts`. Null if all are valid. */
const invalidCallOptions = (
  operation: Pick<AnyOperation, "id" | "parameters">,
  options: Pagination.ListCallOptions
): InvalidInputError | null => {
  const issues = optionIssues(callSchema, options)
    .map(({ path, reason }) => ({ parameter: path.join("."), reason }))
  if (Predicate.isRecord(options) && Predicate.isRecord(options.query)) {
    issues.push(...queryIssues(operation, options.query))
  }
  return Arr.isNonEmptyArray(issues) ? new InvalidInputError({ operation: operation.id, issues }) : null
}
