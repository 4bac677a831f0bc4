/** Custom clocks. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Creates a clock. `sleep` calls `wake` after a time and returns a function that cancels it. */
export const makeClock = (
  now: () => number,
  sleep: (millis: number, wake: () => void) => () => unknown
): Clock.Clock => {
  const nanos = () => BigInt(Math.round(now())) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const cancel = sleep(Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(cancel)
      })
  }
}
