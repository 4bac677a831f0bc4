/** The errors of `@blockquarry/core` as those of this package. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import type { ClientOptions } from "../Options.ts"

const encode = Schema.encodeSync(ListOperationError)

/**
 * Returns the error of this package with the same name and fields. Durations become milliseconds. The hint names the option
 * that sets the base URL.
 */
export const toClientError = (
  error: ListOperationError,
  { baseUrl, baseUrls }: Pick<ClientOptions, "baseUrl" | "baseUrls"> = {}
): Errors.ClientError => {
  const encoded = encode(error)
  switch (encoded._tag) {
    case "InvalidInputError":
      return new Errors.InvalidInputError(untagged(encoded))
    case "RequestRejectedError":
      return new Errors.RequestRejectedError(untagged(encoded))
    case "NotFoundError":
      return new Errors.NotFoundError(untagged(encoded))
    case "AuthenticationError":
      return new Errors.AuthenticationError(untagged(encoded))
    case "PermissionDeniedError":
      return new Errors.PermissionDeniedError(untagged(encoded))
    case "PlanQuotaExceededError":
      return new Errors.PlanQuotaExceededError(untagged(encoded))
    case "RateLimitError":
      return new Errors.RateLimitError(untagged(encoded))
    case "LocalLimitError":
      return new Errors.LocalLimitError(untagged(encoded))
    case "ServerError":
      return new Errors.ServerError(untagged(encoded))
    case "CircuitOpenError":
      return new Errors.CircuitOpenError(untagged(encoded))
    case "InvalidResponseError":
      return new Errors.InvalidResponseError(untagged(encoded))
    case "PaginationError":
      return new Errors.PaginationError(untagged(encoded))
    case "NetworkError":
      return new Errors.NetworkError(
        baseUrl === undefined || baseUrls?.[encoded.api] !== undefined
          ? untagged(encoded)
          : { ...untagged(encoded), setting: "baseUrl" }
      )
    case "TimeoutError":
      return new Errors.TimeoutError(untagged(encoded))
  }
}

const untagged = <Fields extends { readonly _tag: string }>(
  { _tag, ...fields }: Fields
): Omit<Fields, "_tag"> => fields
