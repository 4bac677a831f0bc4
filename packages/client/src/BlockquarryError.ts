/** What all errors of this package have in common. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"

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
  constructor(description: Description, fields: object, options?: { readonly cause: unknown }) {
    super(description.message, options)
    this.summary = description.summary
    this.hint = description.hint
    this.retryable = description.retryable
    Object.assign(this, fields)
  }

  /** Returns the name, the message and the fields, without the stack and the cause. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { message, name, ...fields } = this
    return { name, message, ...fields }
  }
}

type Description = Pick<BlockquarryError, "message" | "summary" | "hint" | "retryable">

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

const decode = Schema.decodeUnknownSync(ListOperationError)

/**
 * Creates the class of an error of `@blockquarry/core` with the same name, fields and texts. `defaults` are those of the
 * optional fields.
 */
export const callError =
  <const Name extends string>(name: Name) =>
  <Fields extends object, Optional extends keyof Fields = never>(
    defaults: Partial<Pick<Fields, Optional>> = {}
  ): new(
    fields: Omit<Fields, Optional> & { readonly [O in Optional]?: Fields[O] | undefined }
  ) => BlockquarryError & Fields & Named<Name> => {
    class CallError extends namedError(name) {
      constructor(fields: object) {
        const allFields = { ...defaults, ...Rec.filter({ ...fields }, Predicate.isNotUndefined) }
        super(decode({ _tag: name, ...allFields }), allFields)
      }
    }
    // `decode` throws if a field is missing or invalid.
    return CallError as new(fields: object) => BlockquarryError & Fields & Named<Name>
  }
