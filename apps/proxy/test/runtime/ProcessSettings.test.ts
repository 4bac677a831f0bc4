/** The fibers of a server leave nothing behind, and share the event loop. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ProcessSettings from "../../src/runtime/ProcessSettings.ts"

describe("fibers of a server", () => {
  it.live("let timers of Node run although fibers continue all the time", () =>
    ProcessSettings.forServer(Effect.gen(function*() {
      const busy = yield* Effect.forkDaemon(Effect.forever(Effect.yieldNow()))
      yield* Effect.async<void>((resume) => {
        setTimeout(() => resume(Effect.void), 1)
      })
      yield* Fiber.interrupt(busy)
    })))

  it.live("continue in the order in which they were scheduled", () =>
    ProcessSettings.forServer(Effect.gen(function*() {
      const order: Array<number> = []
      yield* Effect.forEach(
        [1, 2, 3],
        (number) => Effect.zipRight(Effect.yieldNow(), Effect.sync(() => order.push(number))),
        {
          concurrency: "unbounded"
        }
      )
      expect(order).toEqual([1, 2, 3])
    })))
})
