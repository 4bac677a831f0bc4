/** Timers of a clock that need no fiber while it is the live one. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"

export const noTimer = (): void => {}

const liveClock = Context.get(DefaultServices.liveServices, Clock.Clock)

/** The longest delay of `setTimeout`. As with `Effect.sleep`, a longer one never ends. */
const maxTimerMillis = 2 ** 31 - 1

/** Runs a callback after a time of the clock, which may be at once. Returns a function that prevents it. */
export const startTimer = (clock: Clock.Clock, millis: number, callback: () => void): () => void => {
  if (clock === liveClock) {
    // Also without an end: a Worker cancels a request that waits for nothing of its own.
    const timer = setTimeout(millis > maxTimerMillis ? noTimer : callback, Math.min(millis, maxTimerMillis))
    return () => clearTimeout(timer)
  }
  if (millis === Number.POSITIVE_INFINITY) return noTimer
  const fiber = Effect.runFork(Effect.zipRight(clock.sleep(Duration.millis(millis)), Effect.sync(callback)))
  return () => fiber.unsafeInterruptAsFork(FiberId.none)
}

/**
 * Waits until `start` passes on a result or, if that takes longer, returns `late`. However the wait ends, it stops its timer in the
 * context of its own fiber. What `start` returns is called if the wait is interrupted.
 */
export const waitAtMost = <A, E>(
  clock: Clock.Clock,
  millis: number,
  late: Effect.Effect<A, E>,
  start: (resume: (result: Effect.Effect<A, E>) => void) => () => void
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let stopTimer = noTimer
    const waiting = Effect.async<A, E>((resume) => {
      stopTimer = startTimer(clock, millis, () => resume(late))
      return Effect.sync(start(resume))
    })
    return Effect.ensuring(waiting, Effect.sync(() => stopTimer()))
  })
