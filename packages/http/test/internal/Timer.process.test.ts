/** Tests timers of the live clock, which have no fiber. Those of other clocks are tested with the calls that use them. */
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { startTimer, waitAtMost } from "../../src/internal/Timer.ts"

const liveClock = Context.get(DefaultServices.liveServices, Clock.Clock)

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe("a timer of the live clock", () => {
  it("keeps the process alive until it is stopped, which may happen twice", () => {
    const timers = vi.spyOn(globalThis, "setTimeout")
    const callback = vi.fn()
    const stop = startTimer(liveClock, 1000, callback)
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([true])
    stop()
    stop()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(10_000)
    expect(callback).not.toHaveBeenCalled()
  })

  it.each([2 ** 31, Number.POSITIVE_INFINITY])(
    "of %d ms never ends, and keeps its request alive",
    (millis) => {
      const stop = startTimer(liveClock, millis, () => expect.unreachable())
      expect(vi.getTimerCount()).toBe(1)
      vi.advanceTimersByTime(2 ** 31)
      stop()
      expect(vi.getTimerCount()).toBe(0)
    }
  )
})

describe("a wait", () => {
  const start = () => {
    let resume: (result: Effect.Effect<string>) => void = () => {}
    const cancel = vi.fn()
    const fiber = Effect.runFork(
      waitAtMost<string, never>(liveClock, 1000, Effect.succeed("late"), (given) => {
        resume = given
        return cancel
      })
    )
    expect(vi.getTimerCount()).toBe(1)
    return { cancel, fiber, resume }
  }

  it.each(
    [
      ["has a result", ({ resume }) => resume(Effect.succeed("result")), "result"],
      ["is late", () => vi.advanceTimersByTime(1000), "late"],
      ["is interrupted", ({ fiber }) => fiber.unsafeInterruptAsFork(fiber.id()), null]
    ] satisfies ReadonlyArray<readonly [string, (wait: ReturnType<typeof start>) => unknown, string | null]>
  )("that %s stops its timer, and is cancelled if it is interrupted", async (_, end, result) => {
    const wait = start()
    end(wait)
    const exit = await new Promise<Exit.Exit<string>>((resolve) => wait.fiber.addObserver(resolve))
    expect(Exit.isSuccess(exit) ? exit.value : null).toBe(result)
    expect(vi.getTimerCount()).toBe(0)
    expect(wait.cancel).toHaveBeenCalledTimes(result === null ? 1 : 0)
  })
})
