/** Requests that no operation describes, to any endpoint of an API. */
import type { ApiRequest } from "@blockquarry/core/ApiRequest"
import type { CallOptions, ListOptions } from "./Options.ts"
import type { CursorPage, JsonPage } from "./Page.ts"
import type { JsonValue } from "./Values.ts"

export type { ApiRequest } from "@blockquarry/core/ApiRequest"
export type { Method } from "@blockquarry/core/Operation"
export type { QueryParameters, QueryValue } from "@blockquarry/core/QueryParameters"

/** A request, and the schema of its output. */
export interface TypedRequest<out Output> extends ApiRequest {
  /** Default: `data`. */
  readonly api?: "data" | "streams" | "ledger" | undefined
  /** Default: any JSON, in which an integer beyond 2^53 is a string of its digits. */
  readonly output?: StandardSchema<Output> | undefined
}

/** Version 1 of Standard Schema, which schemas of Zod, Valibot, ArkType and other libraries implement. */
export interface StandardSchema<out Output> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a Standard Schema returns: a value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
    readonly issues: ReadonlyArray<{
      readonly message: string
      readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
    }>
  }

/**
 * Sends a request, and returns its output. Any 2xx status is a success; a response without content is null. Responses are never
 * cached.
 *
 * The promise rejects with a `CallError`: with `InvalidResponseError` if the document does not fit the schema, and with
 * `InvalidInputError`, before anything is sent, if the request is invalid.
 */
export interface RequestFunction {
  <Output = JsonValue>(request: TypedRequest<Output>, options?: CallOptions): Promise<NoInfer<Output>>
  /**
   * Returns all pages of a list, by the `cursor` and the `result` of its pages. `output` is the schema of a page. The cursor is
   * sent in the query, or in a body that is an object.
   */
  readonly pages: <Output extends CursorPage<unknown> = JsonPage>(
    request: TypedRequest<Output>,
    options?: ListOptions
  ) => AsyncIterable<NoInfer<Output>>
  /** Returns all records. The next page is requested when its records are needed. */
  readonly items: <Output extends CursorPage<unknown> = JsonPage>(
    request: TypedRequest<Output>,
    options?: ListOptions
  ) => AsyncIterable<NoInfer<Output>["result"][number]>
}
