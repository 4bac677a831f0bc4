/** Tests callers that are interrupted while a command of theirs ends. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type { StoreError } from "../../../src/gateway/StoreError.ts"
import * as ReplyTimeout from "../../../src/internal/stores/ReplyTimeout.ts"

it.scoped("a reply counts as received although its caller is interrupted before it continues", () =>
  Effect.gen(function*() {
    const replies = yield* ReplyTimeout.make
    const run = <A>(command: Effect.Effect<A>) => replies.ask(command, { millis: 1000 })
    const interrupted = Effect.withFiberRuntime<void, StoreError>((fiber) =>
      run(Effect.async<void>((resume) => {
        setImmediate(() => {
          resume(Effect.void)
          // After the command has ended, and before its caller continues
          queueMicrotask(() => fiber.unsafeInterruptAsFork(FiberId.none))
        })
      }))
    )
    // More than may be late at the same time
    for (let count = 0; count < 300; count += 1) {
      const exit = yield* Effect.flatten(Effect.map(Effect.fork(interrupted), (fiber) => fiber.await))
      expect(Exit.isInterrupted(exit)).toBe(true)
    }
    expect(yield* run(Effect.succeed("reply"))).toBe("reply")
  }))
