/** Asking a store that may be slow or away: at most 100 milliseconds are spent on it, once. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { StoreFault } from "../StoreFault.ts"
import type { StoreGroup } from "../StoreGroup.ts"
import * as Telemetry from "../Telemetry.ts"

/** How long a store may take. */
const patience = Duration.millis(100)

/** How long it may take for what nobody waits for but an operator. */
const longPatience = Duration.minutes(1)

/** How often one that is away is looked after. */
const lookEvery = Duration.millis(500)

export interface Guard {
  /** Asks the store, or does `otherwise` at once while it is away. */
  readonly run: <A>(ask: Effect.Effect<A, StoreFault>, otherwise: Effect.Effect<A>) => Effect.Effect<A>
  /** Has the store do something that takes many steps, a minute at most. False where it was not done. */
  readonly done: (ask: Effect.Effect<void, StoreFault>) => Effect.Effect<boolean>
}

const bounded = <A>(
  ask: Effect.Effect<A, StoreFault>,
  patience: Duration.Duration
): Effect.Effect<A, StoreFault> =>
  // Budgets are asked where nothing else may interrupt.
  Effect.raceFirst(
    Effect.interruptible(ask),
    Effect.interruptible(Effect.sleep(patience)).pipe(
      // Where this process was busy the answer may lie there, unread: it is the store that is waited for.
      Effect.zipRight(Effect.interruptible(lookAtSockets)),
      Effect.zipRight(new StoreFault({ problem: `no answer within ${Duration.format(patience)}` }))
    )
  )

/** Timers come before sockets in a turn of the event loop; this is done in the next one. */
const lookAtSockets = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 0)
  return Effect.sync(() => clearTimeout(timer))
})

/** A guard for the store called `name`, which is there again as soon as it answers `ping`. */
export const make = (
  name: string,
  ping: Effect.Effect<void, StoreFault>,
  group: StoreGroup = { onLoss: new Set() }
): Effect.Effect<Guard, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let away = false
    const gauge = Metric.tagged(Telemetry.storeAway, "store", name)
    // Looked after in the background: no request waits to learn that the store is still away.
    const untilBack = Effect.sleep(lookEvery).pipe(
      Effect.zipRight(bounded(ping, patience)),
      Effect.retry(Schedule.forever),
      Effect.zipRight(Effect.sync(() => {
        away = false
      })),
      Effect.zipRight(Metric.set(gauge, 0)),
      Effect.zipRight(Effect.logInfo(`the ${name} store is back`)),
      // Else it would outlast its scope where the store is lost by someone who cannot be interrupted.
      Effect.interruptible,
      Effect.forkIn(scope)
    )
    const lost = (problem: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (away) return Effect.void
        away = true
        return Effect.logWarning(`the ${name} store is away (${problem}); going on without it`).pipe(
          Effect.zipRight(Metric.set(gauge, 1)),
          Effect.zipRight(untilBack)
        )
      })
    group.onLoss.add(lost("as another of its server"))
    const lose = ({ problem }: StoreFault) =>
      Effect.zipRight(lost(problem), Effect.forEach(group.onLoss, (other) => other, { discard: true }))
    const within = (patience: Duration.Duration): Guard["run"] => (ask, otherwise) =>
      Effect.suspend(() =>
        away
          ? otherwise
          : Effect.catchAll(bounded(ask, patience), (fault) => Effect.zipRight(lose(fault), otherwise))
      )
    return {
      run: within(patience),
      done: (ask) => within(longPatience)(Effect.as(ask, true), Effect.succeed(false))
    }
  })
