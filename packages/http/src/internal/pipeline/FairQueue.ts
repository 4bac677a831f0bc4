/** A waiting line: so many places, first come, first served. */
import * as Effect from "effect/Effect"

/** Somebody in the line. Once `called`, a place is taken for them. */
interface Waiter {
  granted: boolean
  grant: () => void
}

/** Makes a part of an uninterruptible region interruptible. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Whoever enters must leave. */
export class FairQueue {
  private available: number
  // In order of arrival; leaving from the middle costs nothing.
  private readonly waiters = new Set<Waiter>()

  constructor(capacity: number) {
    this.available = capacity
  }

  /** How many wait. */
  get length(): number {
    return this.waiters.size
  }

  /** Whether a place is free, which it never is while somebody waits. */
  get isFree(): boolean {
    return this.available > 0
  }

  /** Takes a place if one is free. */
  tryAcquire(): boolean {
    if (!this.isFree) return false
    this.available -= 1
    return true
  }

  /**
   * Waits for a place for at most so many milliseconds; false where none came free. To be used in an uninterruptible
   * region: who is interrupted while waiting has not entered.
   */
  acquire(timeoutMillis: number, restore: Restore): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (this.tryAcquire()) return Effect.succeed(true)
      const waiter: Waiter = { granted: false, grant: () => {} }
      this.waiters.add(waiter)
      const grantedSignal = Effect.async<void>((resume) => {
        waiter.grant = () => resume(Effect.void)
        if (waiter.granted) waiter.grant()
      })
      const boundedWait = timeoutMillis === Number.POSITIVE_INFINITY
        ? grantedSignal
        : Effect.timeoutTo(grantedSignal, {
          duration: timeoutMillis,
          onSuccess: () => {},
          onTimeout: () => {}
        })
      return restore(boundedWait).pipe(
        // A place may have been given in the very moment of the interruption.
        Effect.onInterrupt(() =>
          Effect.sync(() => waiter.granted ? this.release() : this.waiters.delete(waiter))
        ),
        Effect.map(() => {
          if (!waiter.granted) this.waiters.delete(waiter)
          return waiter.granted
        })
      )
    })
  }

  /** Gives a place back, to the first who waits: nobody who has just come overtakes. */
  release(): void {
    for (const first of this.waiters) {
      this.waiters.delete(first)
      first.granted = true
      first.grant()
      return
    }
    this.available += 1
  }
}
