/** Failures as plain records: the test runner never gets to the end of an error that carries a span. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { runPendingWork } from "./TestTime.ts"

/** The facts of a call's failure, its message included. A success is a defect. */
export const failureOf = <A, E extends Error, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<E & { readonly message: string }, A, R> =>
  Effect.map(Effect.flip(call), (error) => ({ ...error, message: error.message }))

/** The failure of a call that has ended by now: no time passes. */
export const failureOfFinished = <A, E extends Error>(
  fiber: Fiber.Fiber<A, E> | undefined
): Effect.Effect<E & { readonly message: string }, A> =>
  Effect.gen(function*() {
    if (fiber === undefined || Option.isNone(yield* Fiber.poll(fiber))) {
      return yield* Effect.dieMessage("the call has not ended")
    }
    return yield* failureOf(Fiber.join(fiber))
  })

/** The failure of a call, which must come without any time. */
export const immediateFailureOf = <A, E extends Error>(
  call: Effect.Effect<A, E>
): Effect.Effect<E & { readonly message: string }, A> =>
  Effect.flatMap(Effect.zipLeft(Effect.fork(call), runPendingWork), failureOfFinished)
