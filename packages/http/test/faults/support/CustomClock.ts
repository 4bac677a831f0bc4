/** Custom clocks. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

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

/** The current test clock, whose time can be set back. Timers and nanoseconds go on, as those of a system do. */
export const adjustable = Effect.map(Effect.clock, (clock) => {
  let setBack = 0
  const now = () => clock.unsafeCurrentTimeMillis() - setBack
  return {
    clock: {
      [Clock.ClockTypeId]: clock[Clock.ClockTypeId],
      unsafeCurrentTimeMillis: now,
      currentTimeMillis: Effect.sync(now),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      currentTimeNanos: clock.currentTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    } satisfies Clock.Clock,
    setBack: (millis: number) => {
      setBack += millis
    },
    /** `TestClock.adjust` */
    adjust: (duration: Duration.DurationInput) => Effect.withClock(TestClock.adjust(duration), clock)
  }
})
