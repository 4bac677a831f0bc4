/**
 * Effects that may be complete already, such as those of a store in memory. The next step then runs at once, without an
 * operation of the fiber.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

export const isComplete = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Success<A, never> =>
  isExit(effect) && Exit.isSuccess(effect)

export const map = <A, E, B>(effect: Effect.Effect<A, E>, next: (value: A) => B): Effect.Effect<B, E> =>
  isComplete(effect) ? Effect.succeed(next(effect.value)) : Effect.map(effect, next)

export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => isComplete(effect) ? next(effect.value) : Effect.flatMap(effect, next)

export const matchCause = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  onFailure: (cause: Cause.Cause<E>) => Effect.Effect<B, E2>,
  onSuccess: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E2> => {
  if (!isExit(effect)) return Effect.matchCauseEffect(effect, { onFailure, onSuccess })
  return Exit.isSuccess(effect) ? onSuccess(effect.value) : onFailure(effect.cause)
}

export const uninterruptible = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  isComplete(effect) ? effect : Effect.uninterruptible(effect)
