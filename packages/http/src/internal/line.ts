/** A waiting line: so many places, first come, first served. */
import * as Effect from "effect/Effect"

/** Somebody in the line. Once `called`, a place is taken for them. */
interface Waiter {
  called: boolean
  call: () => void
}

/** Makes a part of an uninterruptible region interruptible. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Whoever enters must leave. */
export class Line {
  private free: number
  // In order of arrival; leaving from the middle costs nothing.
  private readonly line = new Set<Waiter>()

  constructor(places: number) {
    this.free = places
  }

  /** How many wait. */
  get waiting(): number {
    return this.line.size
  }

  /** Whether a place is free, which it never is while somebody waits. */
  get open(): boolean {
    return this.free > 0
  }

  /** Takes a place if one is free. */
  tryEnter(): boolean {
    if (!this.open) return false
    this.free -= 1
    return true
  }

  /**
   * Waits for a place for at most so many milliseconds; false where none came free. To be used in an uninterruptible
   * region: who is interrupted while waiting has not entered.
   */
  enter(millis: number, restore: Restore): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (this.tryEnter()) return Effect.succeed(true)
      const waiter: Waiter = { called: false, call: () => {} }
      this.line.add(waiter)
      const called = Effect.async<void>((resume) => {
        waiter.call = () => resume(Effect.void)
        if (waiter.called) waiter.call()
      })
      const inTime = millis === Number.POSITIVE_INFINITY
        ? called
        : Effect.timeoutTo(called, { duration: millis, onSuccess: () => {}, onTimeout: () => {} })
      return restore(inTime).pipe(
        // A place may have been given in the very moment of the interruption.
        Effect.onInterrupt(() => Effect.sync(() => waiter.called ? this.leave() : this.line.delete(waiter))),
        Effect.map(() => {
          if (!waiter.called) this.line.delete(waiter)
          return waiter.called
        })
      )
    })
  }

  /** Gives a place back, to the first who waits: nobody who has just come overtakes. */
  leave(): void {
    for (const first of this.line) {
      this.line.delete(first)
      first.called = true
      first.call()
      return
    }
    this.free += 1
  }
}
