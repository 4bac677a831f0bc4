/**
 * Clients: a record of operations as a record of functions.
 *
 * @since 0.1.0
 */
import { isResumeCursor } from "@blockquarry/core/Cursor"
import { type AnyOperation, isList, type ListOperation, type Operation } from "@blockquarry/core/Operation"
import {
  InvalidInputError,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import type { Page } from "@blockquarry/core/Page"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as PageSource from "./internal/pagination/PageSource.ts"
import type { EngineService } from "./internal/pipeline/Engine.ts"
import type { Upstream } from "./internal/pipeline/Upstream.ts"
import * as Pagination from "./Pagination.ts"
import type { PaginationOptions } from "./Pagination.ts"

/**
 * One question, one answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface OperationFunction<in Input, out Output> {
  (input: Input): Effect.Effect<Output, OperationError>
}

/**
 * A list: one page, all pages, or all records.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListOperationFunction<in Input, out Output, out Item>
  extends OperationFunction<Input, Output>
{
  /** Every page to the end of the list. The `cursor` of each continues after it, and is null on the last. */
  readonly pages: (input: Input, options?: PaginationOptions) => Stream.Stream<Output, ListOperationError>
  /** Every record to the end of the list, one chunk for each page. */
  readonly items: (input: Input, options?: PaginationOptions) => Stream.Stream<Item, ListOperationError>
}

/**
 * How an operation is asked.
 *
 * @since 0.1.0
 * @category models
 */
// `any` stands where the canonical input and the wire form are not looked at: an invariant parameter takes no `unknown`.
export type OperationFunctionOf<O> = O extends // oxlint-disable-next-line typescript/no-explicit-any
ListOperation<any, infer InputEncoded, infer Output, any, infer Item> ?
  ListOperationFunction<InputEncoded, Output, Item>
  // oxlint-disable-next-line typescript/no-explicit-any
  : O extends Operation<any, infer InputEncoded, infer Output, any> ? OperationFunction<InputEncoded, Output>
  : never

/**
 * A client of the operations `Ops`.
 *
 * @since 0.1.0
 * @category models
 */
export type ApiClient<Ops> = { readonly [Id in keyof Ops]: OperationFunctionOf<Ops[Id]> }

/**
 * Makes a client: every operation asked through the engine at one target.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Ops extends Readonly<Record<string, AnyOperation>>>(
  operations: Ops,
  engine: EngineService,
  upstream: Upstream
): ApiClient<Ops> =>
  // Each value is what `AskOf` says of its operation; `test/Client.test.ts` holds every one of the eleven to that.
  Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      isList(operation)
        ? listOperationFunction(operation, engine, upstream)
        : operationFunction(operation, engine, upstream)
    ])
  ) as ApiClient<Ops>

const operationFunction = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  engine: EngineService,
  upstream: Upstream
): OperationFunction<InputEncoded, Output> => {
  const decoded = engine.decoded(operation, upstream)
  return (input) => Effect.flatMap(decodeInput(operation, input), decoded)
}

const listOperationFunction = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
>(
  operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>,
  engine: EngineService,
  upstream: Upstream
): ListOperationFunction<InputEncoded, Output, Item> => {
  const pageSource = PageSource.make(operation, engine.decoded(operation, upstream))
  const decode = (input: InputEncoded) => decodeInput(operation, input)
  return Object.assign(
    (input: InputEncoded) =>
      Effect.flatMap(decode(input), (input) =>
        input.cursor !== undefined && isResumeCursor(input.cursor)
          ? new InvalidInputError({ operation: operation.id, issues: [paginationCursorOnly] })
          : pageSource.fetchPage(input)),
    {
      pages: (input: InputEncoded, options?: PaginationOptions) =>
        Stream.unwrap(Effect.map(decode(input), (input) => Pagination.pages(pageSource, input, options))),
      items: (input: InputEncoded, options?: PaginationOptions) =>
        Stream.unwrap(Effect.map(decode(input), (input) => Pagination.items(pageSource, input, options)))
    }
  )
}

const paginationCursorOnly = {
  parameter: "cursor",
  reason: "this cursor continues a walk; give it to .pages or .items"
}
