/** Errors as plain records, because the test runner fails to format errors that refer to spans. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { runPendingWork } from "./TestTime.ts"

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

/** Returns the error of a call that has already ended. */
const failureOfFinished = <A, E extends Error>(
  fiber: Fiber.Fiber<A, E> | undefined
): Effect.Effect<E & { readonly message: string }, A> =>
  Effect.gen(function*() {
    if (fiber === undefined || Option.isNone(yield* Fiber.poll(fiber))) {
      return yield* Effect.dieMessage("the call has not ended")
    }
    return yield* failureOf(Fiber.join(fiber))
  })

/** Returns the error of a call that fails without waiting. */
export const immediateFailureOf = <A, E extends Error>(
  call: Effect.Effect<A, E>
): Effect.Effect<E & { readonly message: string }, A> =>
  Effect.flatMap(Effect.zipLeft(Effect.fork(call), runPendingWork), failureOfFinished)
