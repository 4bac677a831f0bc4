/**
 * The keys that the sandbox knows.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { ApiError } from "./ApiError.ts"

/**
 * The key that opens the sandbox.
 *
 * @since 0.1.0
 * @category keys
 */
export const apiKey = "sandbox-good-key"

/**
 * A key that was good once: 401.
 *
 * @since 0.1.0
 * @category keys
 */
export const revokedApiKey = "sandbox-revoked-key"

/**
 * A key whose plan is used up: 401, and only the message tells it from a bad key.
 *
 * @since 0.1.0
 * @category keys
 */
export const exhaustedApiKey = "sandbox-exhausted-key"

const unauthorized = (message: string) => Either.left(new ApiError({ status: 401, messages: [message] }))

/** Lets a request with the good key through. */
export const checkApiKey = (provided: string | undefined): Either.Either<void, ApiError> => {
  switch (provided) {
    case apiKey:
      return Either.void
    case undefined:
    case "":
      return unauthorized("No API key was provided: send one in the header X-API-Key")
    case revokedApiKey:
      return unauthorized("The API key was revoked")
    case exhaustedApiKey:
      return unauthorized(
        "Validation failed: the free plan's daily usage has been consumed, upgrade the plan to go on"
      )
    default:
      return unauthorized("The API key is not valid")
  }
}
