/**
 * The time of day, which can be moved on to the next thing that somebody waits for: what waits for a silent service need
 * not be waited for, and a machine that is slow is not a service that is silent.
 */
import type * as Clock from "effect/Clock"
import { clockOf } from "./Clocks.ts"

export interface Hourglass {
  readonly clock: Clock.Clock
  /** Moves on to the first moment that anybody waits for. */
  readonly turnOver: () => void
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export const make = (): Hourglass => {
  const sleepers = new Set<Sleeper>()
  let ahead = 0
  const now = () => Date.now() + ahead
  return {
    clock: clockOf(now, (millis, wake) => {
      const leave = () => {
        clearTimeout(timer)
        sleepers.delete(sleeper)
      }
      const sleeper: Sleeper = {
        at: now() + millis,
        wake: () => {
          leave()
          wake()
        }
      }
      const timer = setTimeout(sleeper.wake, millis)
      sleepers.add(sleeper)
      return leave
    }),
    turnOver: () => {
      const first = Math.min(...[...sleepers].map(({ at }) => at))
      if (!Number.isFinite(first)) return
      ahead = Math.max(ahead, first - Date.now())
      for (const sleeper of sleepers) if (sleeper.at <= first) sleeper.wake()
    }
  }
}
