/** Runs the commands of a shared store while it is available. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { StoreError } from "../../gateway/StoreError.ts"
import * as Telemetry from "../../Telemetry.ts"

export interface AvailabilityGuard {
  /** Runs a command. Fails at once while the store is unavailable. */
  readonly run: <A>(command: Effect.Effect<A, StoreError>) => Effect.Effect<A, StoreError>
  readonly isAvailable: () => boolean
}

/** How often an unavailable store is pinged. */
const pingInterval = Duration.millis(500)

/** An available store is pinged once in so many intervals, every 5 s. */
const intervalsPerPing = 10

/**
 * Creates the guard of a store, and pings it until the scope closes. The store is unavailable from a failed command or
 * ping until the next successful ping. A slow command does not fail: the store itself must fail all commands if it makes
 * no progress.
 */
export const make = (
  name: string,
  ping: Effect.Effect<void, StoreError>
): Effect.Effect<AvailabilityGuard, never, Scope.Scope> =>
  Effect.gen(function*() {
    const gauge = Metric.tagged(Telemetry.storeAvailable, "store", name)
    const misconfiguredGauge = Metric.tagged(Telemetry.storeMisconfigured, "store", name)
    let failure: StoreError | null = null
    const setState = (next: StoreError | null): Effect.Effect<void> =>
      Effect.suspend(() => {
        failure = next
        return Effect.zipRight(
          Metric.set(gauge, next === null ? 1 : 0),
          Metric.set(misconfiguredGauge, next?.fix === undefined ? 0 : 1)
        )
      })
    /** Logs an outage once, and what to change once per change: an outage may end with a store that is misconfigured. */
    const markUnavailable = (error: StoreError): Effect.Effect<void> =>
      Effect.suspend(() => {
        const { fix, reason } = error
        if (failure !== null && (fix === undefined || fix === failure.fix)) return Effect.void
        const text = `the ${name} store is unavailable (${reason})`
        return Effect.zipRight(
          setState(error),
          fix === undefined ? Effect.logWarning(text) : Effect.logError(`${text}: ${fix}`)
        )
      })
    const markAvailable = Effect.suspend(() =>
      failure === null
        ? Effect.void
        : Effect.zipRight(setState(null), Effect.logInfo(`the ${name} store is available again`))
    )
    const pingOnce = ping.pipe(
      // Without pings the store would never be used again.
      Effect.catchAllDefect((defect) =>
        new StoreError({ reason: `its ping failed unexpectedly: ${String(defect)}` })
      ),
      Effect.matchEffect({ onFailure: markUnavailable, onSuccess: () => markAvailable })
    )
    let interval = 0
    const pingIfDue = Effect.suspend(() => {
      interval = (interval + 1) % intervalsPerPing
      return failure !== null || interval === 0 ? pingOnce : Effect.void
    })
    // An unset gauge reads 0, which means unavailable.
    yield* setState(null)
    yield* pingOnce
    yield* Effect.forkScoped(Effect.interruptible(Effect.forever(Effect.delay(pingIfDue, pingInterval))))
    return {
      run: (command) => Effect.suspend(() => failure ?? Effect.tapError(command, markUnavailable)),
      isAvailable: () => failure === null
    }
  })
