/** Runs the commands of a remote store, and falls back while the store is unavailable. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { StoreError } from "../../StoreError.ts"
import * as Telemetry from "../../Telemetry.ts"

/** How often an unavailable store is pinged. */
const pingInterval = Duration.millis(500)

/** An available store is pinged once in so many intervals, every 5 s. */
const intervalsPerPing = 10

const pingDied = new StoreError({ reason: "its ping failed unexpectedly" })

export interface AvailabilityGuard {
  /** Runs a command of the store. Runs the fallback instead if the command fails or the store is unavailable. */
  readonly run: <A, E>(
    command: Effect.Effect<A, StoreError>,
    fallback: (error: StoreError) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  readonly isAvailable: () => boolean
}

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
    /** Reports a defect once per outage, and keeps pinging: without pings the store would never be used again. */
    const reportDefect = (defect: unknown): Effect.Effect<void> =>
      Effect.suspend(() =>
        failure === pingDied
          ? Effect.void
          : Effect.zipRight(
            setState(pingDied),
            Effect.logError(`the ${name} store is unavailable (${pingDied.reason})`, Cause.die(defect))
          )
      )
    const pingOnce = Effect.catchAllDefect(
      Effect.matchEffect(ping, { onFailure: markUnavailable, onSuccess: () => markAvailable }),
      reportDefect
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
      run: (command, fallback) =>
        Effect.suspend(() =>
          failure === null
            ? Effect.catchAll(command, (error) => Effect.zipRight(markUnavailable(error), fallback(error)))
            : fallback(failure)
        ),
      isAvailable: () => failure === null
    }
  })
