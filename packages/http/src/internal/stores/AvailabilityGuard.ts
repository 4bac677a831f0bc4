/** Runs the commands of a remote store with a timeout, and falls back while the store is unavailable. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { StoreError } from "../../StoreError.ts"
import * as Telemetry from "../../Telemetry.ts"
import type { StoreGroup } from "./StoreGroup.ts"

/** Timeout of a command that a call waits for. */
const defaultTimeout = Duration.millis(100)

/** Timeout of a maintenance command with many steps. */
const longTimeout = Duration.minutes(1)

/** How often an unavailable store is pinged. */
const probeInterval = Duration.millis(500)

export interface AvailabilityGuard {
  /** Runs a command of the store. Runs the fallback instead if the command fails or the store is unavailable. */
  readonly run: <A>(command: Effect.Effect<A, StoreError>, fallback: Effect.Effect<A>) => Effect.Effect<A>
  /** Runs a command with many steps, for at most a minute. Returns false if it did not complete. */
  readonly runLong: (command: Effect.Effect<void, StoreError>) => Effect.Effect<boolean>
}

const withTimeout = <A>(
  command: Effect.Effect<A, StoreError>,
  timeout: Duration.Duration
): Effect.Effect<A, StoreError> =>
  // Interruptible, because rate limits are acquired in uninterruptible regions.
  Effect.raceFirst(
    Effect.interruptible(command),
    Effect.interruptible(Effect.sleep(timeout)).pipe(
      // If this process was busy, the reply may have arrived without having been read.
      Effect.zipRight(Effect.interruptible(drainSocketEvents)),
      Effect.zipRight(new StoreError({ reason: `no reply within ${Duration.format(timeout)}` }))
    )
  )

/** Completes after pending socket events: the event loop runs timers before sockets, so a timer of the next turn. */
const drainSocketEvents = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 0)
  return Effect.sync(() => clearTimeout(timer))
})

/** Creates the guard of a store. The store becomes available again when `ping` succeeds. */
export const make = (
  name: string,
  ping: Effect.Effect<void, StoreError>,
  group: StoreGroup = { onUnavailable: new Set() }
): Effect.Effect<AvailabilityGuard, never, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => {
    let unavailable = false
    const gauge = Metric.tagged(Telemetry.storeAvailable, "store", name)
    // In the background, so that no request waits for an unavailable store.
    const probeUntilAvailable = Effect.sleep(probeInterval).pipe(
      Effect.zipRight(withTimeout(ping, defaultTimeout)),
      Effect.retry(Schedule.forever),
      Effect.zipRight(Effect.sync(() => {
        unavailable = false
      })),
      Effect.zipRight(Metric.set(gauge, 1)),
      Effect.zipRight(Effect.logInfo(`the ${name} store is available again`)),
      // Otherwise the fiber inherits an uninterruptible region and outlives its scope.
      Effect.interruptible,
      Effect.forkIn(scope)
    )
    const markUnavailable = (reason: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (unavailable) return Effect.void
        unavailable = true
        return Effect.logWarning(`the ${name} store is unavailable (${reason}); continuing without it`).pipe(
          Effect.zipRight(Metric.set(gauge, 0)),
          Effect.zipRight(probeUntilAvailable)
        )
      })
    group.onUnavailable.add(markUnavailable("like another store of its server"))
    const markGroupUnavailable = ({ reason }: StoreError) =>
      Effect.zipRight(
        markUnavailable(reason),
        Effect.forEach(group.onUnavailable, (markOther) => markOther, { discard: true })
      )
    const runWithin = (timeout: Duration.Duration): AvailabilityGuard["run"] => (command, fallback) =>
      Effect.suspend(() =>
        unavailable
          ? fallback
          : Effect.catchAll(
            withTimeout(command, timeout),
            (error) => Effect.zipRight(markGroupUnavailable(error), fallback)
          )
      )
    const guard: AvailabilityGuard = {
      run: runWithin(defaultTimeout),
      runLong: (command) => runWithin(longTimeout)(Effect.as(command, true), Effect.succeed(false))
    }
    // An unset gauge reads 0, which means unavailable.
    return Effect.as(Metric.set(gauge, 1), guard)
  })
