/** Functions that call operations. */
import type { CallOptions, ListOptions } from "./Options.ts"

/** Calls an operation. The promise rejects with a `CallError`. */
export interface OperationFunction<in Input, out Output> {
  (input: Input, options?: CallOptions): Promise<Output>
}

/**
 * Calls a list operation: for one page, or for all pages or all records. The promise and the iterators reject with a
 * `ListError`.
 *
 * An iterable sends nothing before it is iterated, and starts anew with each iteration. Breaking out of a loop cancels the
 * requests in flight.
 */
export interface ListOperationFunction<in Input, out Output, out Item>
  extends OperationFunction<Input, Output>
{
  /** Returns all pages. The `cursor` of a page continues the list after it; null on the last page. */
  readonly pages: (input: Input, options?: ListOptions) => AsyncIterable<Output>
  /** Returns all records. The next page is requested when its records are needed. */
  readonly items: (input: Input, options?: ListOptions) => AsyncIterable<Item>
}
