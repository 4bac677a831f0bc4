/** Failures as plain records: the test runner never gets to the end of an error that carries a span. */
import * as Effect from "effect/Effect"

/** The facts of a call's failure, its message included. A success is a defect. */
export const failure = <A, E extends Error, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<E & { readonly message: string }, A, R> =>
  Effect.map(Effect.flip(call), (error) => ({ ...error, message: error.message }))
