/** The timeout of a whole command, and the pauses that do not count. */
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { TimeoutPause, withTimeout } from "../../src/terminal/CommandTimeout.ts"

/** Takes 20 s, an hour during which the timeout is paused, and 11 s. */
const pausedCommand = Effect.gen(function*() {
  const pause = yield* TimeoutPause
  yield* Effect.sleep("20 seconds")
  yield* pause(Effect.sleep("1 hour"))
  yield* Effect.sleep("11 seconds")
}).pipe(withTimeout(Duration.seconds(30), () => "timed out"))

it.effect("does not count a pause", () =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(pausedCommand)
    yield* TestClock.adjust("1 hour")
    yield* TestClock.adjust("29 seconds")
    expect(fiber.unsafePoll()).toBeNull()
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.await(fiber)).toEqual(Exit.fail("timed out"))
  }))

it.effect("ends a command in time although the time of day is set back", () =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const setBack = (now: number) => now < 10_000 ? now : now - 3_600_000
    const fiber = yield* Effect.fork(Effect.withClock(
      Effect.sleep("2 hours").pipe(withTimeout(Duration.seconds(30), () => "timed out")),
      {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: () => setBack(clock.unsafeCurrentTimeMillis()),
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        currentTimeMillis: Effect.map(clock.currentTimeMillis, setBack),
        currentTimeNanos: clock.currentTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      }
    ))
    yield* TestClock.adjust("30 seconds")
    yield* TestClock.adjust("1 second")
    expect(fiber.unsafePoll()).toEqual(Exit.fail("timed out"))
  }))
