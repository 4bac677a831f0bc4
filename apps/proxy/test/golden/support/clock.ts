/** A clock that stands still until a test moves it, so that every moment and every wait in the records is exact. */
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
  /** How many sleeps have begun so far. */
  readonly begun: () => number
  /** The earliest end of the sleeps that began after the first `since` ones. */
  readonly nextEnd: (since: number) => number | undefined
  /** Moves the clock to a moment, and wakes whose time has come, in order. */
  readonly moveTo: (moment: number) => void
  /** From now on sleeps take real time: a proxy that stops waits for connections to close. */
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

/** Turns of the event loop: within so many everything has happened that waits for no clock. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
