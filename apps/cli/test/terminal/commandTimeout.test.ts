/** The timeout of a whole command. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { EndTimeout, withTimeout } from "../../src/terminal/CommandTimeout.ts"

it.effect.each<readonly [number, Exit.Exit<void, string>]>([
  [0, Exit.fail("timed out")],
  [20, Exit.void],
  [31, Exit.fail("timed out")]
])(
  "ends a command after 30 s, unless its pager opens before (%i s)",
  ([seconds, expected]) =>
    Effect.gen(function*() {
      const endTimeout = yield* EndTimeout
      yield* Effect.sleep(seconds * 1000)
      if (seconds > 0) endTimeout()
      yield* Effect.sleep("1 hour")
    }).pipe(
      withTimeout("30 seconds", () => "timed out"),
      Effect.exit,
      Effect.fork,
      Effect.tap(TestClock.adjust("2 hours")),
      Effect.flatMap(Fiber.join),
      Effect.map((exit) => expect(exit).toEqual(expected))
    )
)
