import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Runs an effect during which the timeout of the command does not count, because it waits for the user. */
type PauseTimeout = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How to pause the timeout. Without a provider there is none. */
export class TimeoutPause extends Context.Reference<TimeoutPause>()("@blockquarry/cli/TimeoutPause", {
  defaultValue: (): PauseTimeout => (effect) => effect
}) {}

/** Milliseconds of a clock that the time of day does not change. */
const monotonicMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** Fails with `onTimeout` if an effect takes longer than `timeout`, without its pauses. */
export const withTimeout =
  <E1>(timeout: Duration.Duration, onTimeout: () => E1) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E1, R> =>
    Effect.gen(function*() {
      const start = yield* monotonicMillis
      const isCounting = yield* Effect.makeLatch(true)
      let paused = 0
      const pause: PauseTimeout = (waiting) =>
        Effect.gen(function*() {
          const since = yield* monotonicMillis
          yield* isCounting.close
          return yield* Effect.ensuring(
            waiting,
            Effect.flatMap(monotonicMillis, (now) => {
              paused += now - since
              return isCounting.open
            })
          )
        })
      const expire = Effect.gen(function*() {
        let remaining = Duration.toMillis(timeout)
        while (remaining > 0) {
          yield* Effect.sleep(remaining)
          yield* isCounting.await
          remaining = Duration.toMillis(timeout) - ((yield* monotonicMillis) - start - paused)
        }
        return yield* Effect.fail(onTimeout())
      })
      return yield* Effect.raceFirst(Effect.provideService(effect, TimeoutPause, pause), expire)
    })
