/** A semaphore with a queue in arrival order. */
import * as Effect from "effect/Effect"

/** A waiting fiber. Once `granted`, it holds a slot. */
interface Waiter {
  granted: boolean
  grant: () => void
}

/** Makes a part of an uninterruptible region interruptible. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Every successful acquire needs a release. */
export class FairQueue {
  private available: number
  // In arrival order. A Set allows a fiber to leave from the middle at no cost.
  private readonly waiters = new Set<Waiter>()

  constructor(capacity: number) {
    this.available = capacity
  }

  /** Number of waiting fibers. */
  get length(): number {
    return this.waiters.size
  }

  /** Whether a slot is available. False while fibers wait. */
  get isFree(): boolean {
    return this.available > 0
  }

  /** Acquires a slot if one is available. */
  tryAcquire(): boolean {
    if (!this.isFree) return false
    this.available -= 1
    return true
  }

  /**
   * Waits for a slot for at most `timeoutMillis`. Returns false after a timeout. Must run in an uninterruptible region;
   * a fiber that is interrupted while waiting has not acquired a slot.
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
        // The slot may have been granted at the time of the interruption.
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

  /** Releases a slot to the first waiting fiber, so that no later one can overtake it. */
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
