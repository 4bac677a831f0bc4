/** Tests timers of the live clock, which have no fiber. Those of other clocks are tested with the calls that use them. */
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import { startTimer } from "../../src/internal/Timer.ts"

const liveClock = Context.get(DefaultServices.liveServices, Clock.Clock)

/** Number of timers that keep this process alive. */
const activeTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length

describe("a timer of the live clock", () => {
  it.live("calls back once, and is over then", () =>
    Effect.gen(function*() {
      const before = activeTimers()
      let calls = 0
      yield* Effect.async<void>((resume) => {
        const stop = startTimer(liveClock, 1, () => {
          calls += 1
          stop()
          resume(Effect.void)
        })
      })
      expect(calls).toBe(1)
      // A timer of the test runner may end meanwhile.
      expect(activeTimers()).toBeLessThanOrEqual(before)
    }))

  it("keeps the process alive until it is stopped, which may happen twice", () => {
    const before = activeTimers()
    const stop = startTimer(liveClock, 1000, () => expect.unreachable())
    expect(activeTimers()).toBe(before + 1)
    stop()
    stop()
    expect(activeTimers()).toBe(before)
  })

  it.each([2 ** 31, Number.POSITIVE_INFINITY])("does not exist for %d ms, which never end", (millis) => {
    const before = activeTimers()
    startTimer(liveClock, millis, () => expect.unreachable())()
    expect(activeTimers()).toBe(before)
  })
})
