/** The API keys of the sandbox. */
import * as Either from "effect/Either"
import { ApiError } from "./ApiError.ts"

/** The valid API key. */
export const apiKey = "sandbox-good-key"

/** A revoked API key. Requests fail with 401. */
export const revokedApiKey = "sandbox-revoked-key"

/**
 * An API key with an exhausted plan. Requests fail with 401; only the message differs from that of an invalid key.
 */
export const exhaustedApiKey = "sandbox-exhausted-key"

const unauthorized = (message: string) => Either.left(new ApiError({ status: 401, messages: [message] }))

/** Accepts the valid API key only. */
export const checkApiKey = (provided: string | undefined): Either.Either<void, ApiError> => {
  switch (provided) {
    case apiKey:
      return Either.void
    case undefined:
    case "":
      return unauthorized("API key missing: send it in the X-API-Key header")
    case revokedApiKey:
      return unauthorized("The API key was revoked")
    case exhaustedApiKey:
      return unauthorized(
        "Validation failed: the free plan's daily usage has been consumed, upgrade the plan to go on"
      )
    default:
      return unauthorized("Invalid API key")
  }
}
