/** The errors of `@blockquarry/core` as those of this package. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Schema from "effect/Schema"
import type * as Errors from "../Errors.ts"
import * as OperationErrors from "../OperationErrors.ts"
import type { ClientOptions } from "../Options.ts"

const encode = Schema.encodeSync(ListOperationError)

type Encoded = typeof ListOperationError.Encoded

type FieldsByName = { readonly [E in Encoded as E["_tag"]]: Omit<E, "_tag"> }

const classes: {
  readonly [Name in keyof FieldsByName]: new(fields: FieldsByName[Name]) => Errors.ClientError
} = OperationErrors

const make = <Name extends keyof FieldsByName>(name: Name, fields: FieldsByName[Name]): Errors.ClientError =>
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
