/**
 * Time for what lasts within this process: deadlines, waits, cooldowns and open circuits. It follows the system clock, but
 * when that is set back, it goes on from where it was. All times are in milliseconds.
 *
 * Times that leave the process, such as those of cache entries and daily quotas, are those of the system clock.
 *
 * Unstable: this module may change in any release.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { getOrInsert } from "../internal/Maps.ts"

/** Times may be read out of order. Up to this difference, time stands still instead. */
const maxDisorder = 1000

/** A clock that is never set back. Timers do not depend on the time, so they are those of `system`. */
export class SteadyClock {
  readonly system: Clock.Clock
  private latest = Number.NEGATIVE_INFINITY
  /** How far the system clock is behind. */
  private setBack = 0
  /** The time when the system clock was last set back, or first read. */
  private anchor = { steady: Number.NEGATIVE_INFINITY, nanos: 0n }

  constructor(system: Clock.Clock) {
    this.system = system
  }

  unsafeCurrentTimeMillis(): number {
    return this.at(this.system.unsafeCurrentTimeMillis())
  }

  /** Returns the steady time at a time of the system clock. */
  at(systemMillis: number): number {
    if (systemMillis < this.latest - maxDisorder) {
      // Not the time since the last read, because to read this clock too each time takes longer.
      const sinceAnchor = Number(this.system.unsafeCurrentTimeNanos() - this.anchor.nanos) / 1e6
      this.restart(systemMillis, Math.max(this.latest + this.setBack, this.anchor.steady + sinceAnchor))
    } else if (systemMillis > this.latest) {
      if (this.latest === Number.NEGATIVE_INFINITY) this.restart(systemMillis, systemMillis)
      this.latest = systemMillis
    }
    return this.latest + this.setBack
  }

  private restart(systemMillis: number, steady: number): void {
    this.latest = systemMillis
    this.setBack = steady - systemMillis
    this.anchor = { steady, nanos: this.system.unsafeCurrentTimeNanos() }
  }

  /** Returns the time of the system clock at a steady time, which may be in the future. */
  toSystem(steadyMillis: number): number {
    return steadyMillis - this.setBack
  }
}

const clocks = new WeakMap<Clock.Clock, SteadyClock>()

/** Returns the steady clock of a clock, which all parts of the process share. */
export const ofClock = (system: Clock.Clock): SteadyClock =>
  getOrInsert(clocks, system, () => new SteadyClock(system))

/** The steady clock of the current clock. */
export const current: Effect.Effect<SteadyClock> = Effect.clockWith((clock) => Effect.succeed(ofClock(clock)))
