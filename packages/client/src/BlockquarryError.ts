/** What errors of this package have in common. */
import type * as Core from "@blockquarry/core/OperationError"
import type { Plain } from "./internal/Plain.ts"

/** The class that all errors of this package extend. */
export abstract class BlockquarryError extends Error {
  /** The name of the class. */
  declare readonly name: string
  /** What failed, without the operation. */
  readonly summary: string
  /** What to do. Null if there is no general answer or the summary contains it. */
  readonly hint: string | null
  /**
   * Whether the same call may succeed later without a change to its input or to the options, and a retry cannot apply an
   * update twice.
   */
  readonly retryable: boolean

  /** @internal */
  constructor(
    { hint = null, retryable = false, summary, message = summary }: Description,
    fields: object,
    options?: { readonly cause: unknown }
  ) {
    super(message, options)
    this.summary = summary
    this.hint = hint
    this.retryable = retryable
    Object.assign(this, fields)
  }

  /** Returns the name, the message and the fields, without the stack and the cause. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { message, name, ...fields } = this
    return { name, message, ...fields }
  }
}

type Description =
  & Pick<BlockquarryError, "summary">
  & Partial<Pick<BlockquarryError, "message" | "hint" | "retryable">>

/** An error with this name. */
export type Named<Name extends string> = { readonly name: Name }

/** Creates the class of errors with a name. On its prototype, so that stacks begin with it, also in minified programs. */
export const namedError = <const Name extends string>(
  name: Name
): abstract new(
  description: Description,
  fields: object,
  options?: { readonly cause: unknown }
) => BlockquarryError & Named<Name> => {
  abstract class NamedError extends BlockquarryError {
    declare readonly name: Name
  }
  Object.defineProperty(NamedError.prototype, "name", { configurable: true, value: name })
  return NamedError
}

export type RequestSummary = Plain<Core.RequestSummary>

export type ResponseSummary = Plain<Core.ResponseSummary>

/** The fields of errors with a request. */
export interface RequestErrorFields {
  readonly operation: string
  readonly request: RequestSummary
}

/** The fields of errors with a response. */
export interface ResponseErrorFields extends RequestErrorFields, ResponseSummary {}
