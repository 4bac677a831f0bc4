/**
 * The keys that the sandbox knows.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { Refusal } from "./Refusal.ts"

/**
 * The key that opens the sandbox.
 *
 * @since 0.1.0
 * @category keys
 */
export const key = "sandbox-good-key"

/**
 * A key that was good once: 401.
 *
 * @since 0.1.0
 * @category keys
 */
export const revokedKey = "sandbox-revoked-key"

/**
 * A key whose plan is used up: 401, and only the message tells it from a bad key.
 *
 * @since 0.1.0
 * @category keys
 */
export const exhaustedKey = "sandbox-exhausted-key"

const unauthorized = (problem: string) => Either.left(new Refusal({ status: 401, problems: [problem] }))

/** Lets a request with the good key through. */
export const check = (given: string | undefined): Either.Either<void, Refusal> => {
  switch (given) {
    case key:
      return Either.void
    case undefined:
    case "":
      return unauthorized("No API key was provided: send one in the header X-API-Key")
    case revokedKey:
      return unauthorized("The API key was revoked")
    case exhaustedKey:
      return unauthorized(
        "Validation failed: the free plan's daily usage has been consumed, upgrade the plan to go on"
      )
    default:
      return unauthorized("The API key is not valid")
  }
}
