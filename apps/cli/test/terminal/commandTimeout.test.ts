/** The timeout of a whole command, and the pauses that do not count. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { adjustable } from "../../../../packages/http/test/faults/support/CustomClock.ts"
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
    const { adjust, clock, setBack } = yield* adjustable
    const command = Effect.sleep("2 hours").pipe(withTimeout(Duration.seconds(30), () => "timed out"))
    const fiber = yield* Effect.fork(Effect.withClock(command, clock))
    yield* adjust("10 seconds")
    setBack(3_600_000)
    yield* adjust("21 seconds")
    expect(fiber.unsafePoll()).toEqual(Exit.fail("timed out"))
  }))
