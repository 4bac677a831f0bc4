/** Clients: a record of operations as a record of functions, and one function for all other requests. */
import { isResumeCursor } from "@blockquarry/core/Cursor"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import {
  type AnyOperation,
  isList,
  type ListOperation,
  type ListPagination,
  type Operation
} from "@blockquarry/core/Operation"
import {
  InvalidInputError,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import type { Page } from "@blockquarry/core/Page"
import { inputDecoder } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as ApiRequest from "./ApiRequest.ts"
import type * as CallOptions from "./CallOptions.ts"
import { type Executor, streamWithOptions, validatingOptions, withOptions } from "./internal/call/Executor.ts"
import * as PageSource from "./internal/pagination/PageSource.ts"
import * as Pagination from "./Pagination.ts"

/** Calls an operation. `options` apply to this call only, and take precedence over those of the region. */
export interface OperationFunction<in Input, out Output> {
  (input: Input, options?: CallOptions.CallOptions): Effect.Effect<Output, OperationError>
}

/** Calls a list operation: for one page, or as a stream of all pages or all records. */
export interface ListOperationFunction<in Input, out Output, out Item>
  extends OperationFunction<Input, Output>
{
  /** Streams every page of the list. The `cursor` of a page continues the list after it; null on the last page. */
  readonly pages: (
    input: Input,
    options?: Pagination.ListCallOptions
  ) => Stream.Stream<Output, ListOperationError>
  /** Streams every record of the list, one chunk per page. */
  readonly items: (
    input: Input,
    options?: Pagination.ListCallOptions
  ) => Stream.Stream<Item, ListOperationError>
}

/** The function that calls the operation `O`. */
export type OperationFunctionOf<O> = O extends AnyOperation
  ? O extends { readonly pagination: ListPagination<infer Item> }
    ? ListOperationFunction<Schema.Schema.Encoded<O["input"]>, Schema.Schema.Type<O["output"]>, Item>
  : OperationFunction<Schema.Schema.Encoded<O["input"]>, Schema.Schema.Type<O["output"]>>
  : never

/** Operations under the names of their functions. */
export type Operations = Readonly<Record<string, AnyOperation>>

/** A client of the operations `Ops`, and of all other endpoints of their API. */
export type ApiClient<Ops> =
  & { readonly [Id in keyof Ops]: OperationFunctionOf<Ops[Id]> }
  & { readonly request: ApiRequest.RequestFunction }

/**
 * Test doubles of operations: functions from the decoded input to the output. That of a list returns one page. That of
 * `request` returns the JSON document of a response, from which the output is decoded.
 */
export type TestDoubles<Ops extends Operations> =
  & {
    readonly [Id in keyof Ops]?: (
      input: Schema.Schema.Type<Ops[Id]["input"]>
    ) => Effect.Effect<Schema.Schema.Type<Ops[Id]["output"]>, OperationError>
  }
  & {
    readonly request?: (request: ApiRequest.SentRequest) => Effect.Effect<JsonValue, OperationError>
  }

/** Makes a client from a function that executes operations. */
export const make = <Ops extends Operations>(
  operations: Ops,
  executor: Executor
): ApiClient<Ops> => {
  const validating = validatingOptions(executor)
  // Each value has the type that `OperationFunctionOf` states; `test/golden/wire.test.ts` calls every operation.
  const functions = Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      isList(operation)
        ? listOperationFunction(operation, validating)
        : operationFunction(operation, validating)
    ])
  )
  const [api = "data"] = Object.values(operations).map((operation) => operation.api)
  const client = { ...functions, request: ApiRequest.make(api, executor) } as ApiClient<Ops>
  executors.set(client, executor)
  return client
}

/** Not members of the clients, whose members are the operations. */
const executors = /* @__PURE__ */ new WeakMap<object, Executor>()

/**
 * Returns the function that executes the operations of a client. Undefined if `make` did not make the client.
 */
export const executorOf = (client: object): Executor | undefined => executors.get(client)

const operationFunction = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  executor: Executor
): OperationFunction<InputEncoded, Output> => {
  const decode = inputDecoder(operation)
  const execute = executor(operation)
  return (input, options) => withOptions(Effect.flatMap(decode(input), execute), options)
}

const listOperationFunction = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
>(
  operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>,
  executor: Executor
): ListOperationFunction<InputEncoded, Output, Item> => {
  const pageSource = PageSource.make(operation, executor(operation))
  const decode = inputDecoder(operation)
  const stream = <A>(
    input: InputEncoded,
    options: Pagination.ListCallOptions | undefined,
    streamOf: (input: I) => Stream.Stream<A, ListOperationError>
  ): Stream.Stream<A, ListOperationError> =>
    streamWithOptions(operation, options, Effect.map(decode(input), streamOf))
  return Object.assign(
    (input: InputEncoded, options?: CallOptions.CallOptions) =>
      withOptions(
        Effect.flatMap(decode(input), (input) =>
          input.cursor !== undefined && isResumeCursor(input.cursor)
            ? new InvalidInputError({ operation: operation.id, issues: [paginationCursorOnly] })
            : pageSource.fetchPage(input)),
        options
      ),
    {
      pages: (input: InputEncoded, options?: Pagination.ListCallOptions) =>
        stream(input, options, (input) => Pagination.pages(pageSource, input, options)),
      items: (input: InputEncoded, options?: Pagination.ListCallOptions) =>
        stream(input, options, (input) => Pagination.items(pageSource, input, options))
    }
  )
}

const paginationCursorOnly = {
  parameter: "cursor",
  reason: "this cursor continues a stream of pages; pass it to .pages or .items"
}
