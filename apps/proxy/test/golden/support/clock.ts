/** A clock that only tests move, so that all times and delays in the records are exact. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export interface ManualClock {
  readonly clock: Clock.Clock
  readonly now: () => number
  /** The number of sleeps started so far. */
  readonly begun: () => number
  /** The earliest end among the sleeps started after the first `since` ones. */
  readonly nextEnd: (since: number) => number | undefined
  /** Moves the clock and wakes the sleepers that are due, in order. */
  readonly moveTo: (moment: number) => void
  /** Switches to real time: during shutdown the proxy waits for connections to close. */
  readonly release: () => void
}

/** 1 January 2030, noon. */
const noon = Date.UTC(2030, 0, 1, 12)

export const make = (start = noon): ManualClock => {
  const state = { now: start, begun: 0, released: false }
  const sleepers = new Map<number, Sleeper>()
  const real = Clock.make()
  const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.suspend(() => {
      const millis = Duration.toMillis(duration)
      if (state.released) return real.sleep(duration)
      if (millis <= 0) return Effect.yieldNow()
      return Effect.async<void>((resume) => {
        const id = state.begun
        state.begun += 1
        if (!Number.isFinite(millis)) return undefined
        sleepers.set(id, { at: state.now + millis, wake: () => resume(Effect.void) })
        return Effect.sync(() => void sleepers.delete(id))
      })
    })
  const wakeUntil = (moment: number): void => {
    for (;;) {
      const due = [...sleepers].filter(([, { at }]) => at <= moment)
        .sort(([a, one], [b, other]) => one.at - other.at || a - b)[0]
      if (due === undefined) return
      const [id, { at, wake }] = due
      sleepers.delete(id)
      state.now = Math.max(state.now, at)
      wake()
    }
  }
  return {
    clock: Object.assign(Clock.make(), {
      unsafeCurrentTimeMillis: () => state.now,
      unsafeCurrentTimeNanos: () => BigInt(Math.round(state.now * 1_000_000)),
      currentTimeMillis: Effect.sync(() => state.now),
      currentTimeNanos: Effect.sync(() => BigInt(Math.round(state.now * 1_000_000))),
      sleep
    }),
    now: () => state.now,
    begun: () => state.begun,
    nextEnd: (since) => {
      const ends = [...sleepers].filter(([id]) => id >= since).map(([, { at }]) => at)
      return ends.length === 0 ? undefined : Math.min(...ends)
    },
    moveTo: (moment) => {
      wakeUntil(moment)
      state.now = Math.max(state.now, moment)
    },
    release: () => {
      state.released = true
      wakeUntil(Number.POSITIVE_INFINITY)
    }
  }
}

/** Waits for turns of the event loop, in which everything that does not wait for the clock completes. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
