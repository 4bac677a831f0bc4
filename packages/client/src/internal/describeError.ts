/** The texts of errors, which those of `@blockquarry/core` define. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Schema from "effect/Schema"

/** What every error tells. */
export interface ErrorDescription {
  readonly message: string
  readonly summary: string
  readonly hint: string | null
  readonly retryable: boolean
}

const decode = Schema.decodeUnknownSync(ListOperationError)

/** Describes the error with the tag `name` and these fields. Throws if a field is missing or invalid. */
export const describeError = (name: string, fields: object): ErrorDescription => {
  const { hint, message, retryable, summary } = decode({ _tag: name, ...fields })
  return { message, summary, hint, retryable }
}
