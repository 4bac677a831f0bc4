/** The errors of `@blockquarry/core` as those of this package. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Schema from "effect/Schema"
import type * as Errors from "../Errors.ts"
import * as OperationErrors from "../OperationErrors.ts"
import type { ClientOptions } from "../Options.ts"
import type { ErrorFields, ErrorName } from "./callError.ts"

const encode = Schema.encodeSync(ListOperationError)

const classes: { readonly [Name in ErrorName]: new(fields: ErrorFields<Name>) => Errors.ClientError } =
  OperationErrors

const make = <Name extends ErrorName>(name: Name, fields: ErrorFields<Name>): Errors.ClientError =>
  new classes[name](fields)

/**
 * Returns the error of this package with the same name and fields. Durations become milliseconds. The hint names the option
 * that sets the base URL.
 */
export const toClientError = (
  error: ListOperationError,
  { baseUrl, baseUrls }: Pick<ClientOptions, "baseUrl" | "baseUrls"> = {}
): Errors.ClientError => {
  const { _tag, ...fields } = encode(error)
  return make(
    _tag,
    "api" in fields && baseUrl !== undefined && baseUrls?.[fields.api] === undefined
      ? { ...fields, setting: "baseUrl" }
      : fields
  )
}
