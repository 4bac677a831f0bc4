/** Asking a store that may be slow or away: at most 100 milliseconds are spent on it, once. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { StoreError } from "../../StoreError.ts"
import * as Telemetry from "../../Telemetry.ts"
import type { StoreGroup } from "./StoreGroup.ts"

/** How long a store may take. */
const defaultTimeout = Duration.millis(100)

/** How long it may take for what nobody waits for but an operator. */
const longTimeout = Duration.minutes(1)

/** How often one that is away is looked after. */
const probeInterval = Duration.millis(500)

export interface AvailabilityGuard {
  /** Asks the store, or does `otherwise` at once while it is away. */
  readonly run: <A>(command: Effect.Effect<A, StoreError>, fallback: Effect.Effect<A>) => Effect.Effect<A>
  /** Has the store do something that takes many steps, a minute at most. False where it was not done. */
  readonly runLong: (command: Effect.Effect<void, StoreError>) => Effect.Effect<boolean>
}

const withTimeout = <A>(
  command: Effect.Effect<A, StoreError>,
  timeout: Duration.Duration
): Effect.Effect<A, StoreError> =>
  // Budgets are asked where nothing else may interrupt.
  Effect.raceFirst(
    Effect.interruptible(command),
    Effect.interruptible(Effect.sleep(timeout)).pipe(
      // Where this process was busy the answer may lie there, unread: it is the store that is waited for.
      Effect.zipRight(Effect.interruptible(drainSocketEvents)),
      Effect.zipRight(new StoreError({ reason: `no answer within ${Duration.format(timeout)}` }))
    )
  )

/** Timers come before sockets in a turn of the event loop; this is done in the next one. */
const drainSocketEvents = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 0)
  return Effect.sync(() => clearTimeout(timer))
})

/** A guard for the store called `name`, which is there again as soon as it answers `ping`. */
export const make = (
  name: string,
  ping: Effect.Effect<void, StoreError>,
  group: StoreGroup = { onUnavailable: new Set() }
): Effect.Effect<AvailabilityGuard, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let unavailable = false
    const gauge = Metric.tagged(Telemetry.storeAvailable, "store", name)
    // Looked after in the background: no request waits to learn that the store is still away.
    const probeUntilAvailable = Effect.sleep(probeInterval).pipe(
      Effect.zipRight(withTimeout(ping, defaultTimeout)),
      Effect.retry(Schedule.forever),
      Effect.zipRight(Effect.sync(() => {
        unavailable = false
      })),
      Effect.zipRight(Metric.set(gauge, 1)),
      Effect.zipRight(Effect.logInfo(`the ${name} store is back`)),
      // Else it would outlast its scope where the store is lost by someone who cannot be interrupted.
      Effect.interruptible,
      Effect.forkIn(scope)
    )
    const markUnavailable = (reason: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (unavailable) return Effect.void
        unavailable = true
        return Effect.logWarning(`the ${name} store is away (${reason}); going on without it`).pipe(
          Effect.zipRight(Metric.set(gauge, 0)),
          Effect.zipRight(probeUntilAvailable)
        )
      })
    group.onUnavailable.add(markUnavailable("as another of its server"))
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
    return {
      run: runWithin(defaultTimeout),
      runLong: (command) => runWithin(longTimeout)(Effect.as(command, true), Effect.succeed(false))
    }
  })
