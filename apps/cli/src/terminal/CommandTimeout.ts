import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Ends the timeout of the command, because the user reads its output page by page. Without a provider there is none. */
export class EndTimeout extends Context.Reference<EndTimeout>()("@blockquarry/cli/EndTimeout", {
  defaultValue: (): () => void => () => {}
}) {}

/** Fails with `onTimeout` if an effect takes longer than `timeout`, and does not use `EndTimeout` before. */
export const withTimeout =
  <E1>(timeout: Duration.DurationInput, onTimeout: () => E1) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E1, R> =>
    Effect.suspend(() => {
      let hasEnded = false
      const expire = Effect.zipRight(
        Effect.sleep(timeout),
        Effect.suspend(() => hasEnded ? Effect.never : Effect.fail(onTimeout()))
      )
      return Effect.raceFirst(Effect.provideService(effect, EndTimeout, () => void (hasEnded = true)), expire)
    })
