/** Errors as plain records, because the test runner fails to format errors that refer to spans. */
import * as Effect from "effect/Effect"

/** Returns the error of a call as a record. Dies if the call succeeds. */
export const failureOf = <A, E extends Error, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<E & { readonly message: string }, A, R> =>
  Effect.map(Effect.flip(call), (error) => ({ ...error, ...computedFields(error), message: error.message }))

/** The getters of an error, which a spread omits. */
const computedFields = (error: object) => ({
  ...("retryable" in error ? { retryable: error.retryable } : {}),
  ...("sent" in error ? { sent: error.sent } : {})
})
