/**
 * Runs the commands of a shared store while it is available, and limits how long callers wait for replies. It repeats no command,
 * and withdraws none.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import { StoreError } from "../../gateway/StoreError.ts"
import * as Telemetry from "../../Telemetry.ts"
import { noTimer, startTimer } from "../Timer.ts"

export interface AvailabilityGuard {
  /** Runs a command. Fails at once while the store is unavailable. */
  readonly run: <A>(command: Effect.Effect<A, StoreError>) => Effect.Effect<A, StoreError>
  readonly isAvailable: () => boolean
}

/**
 * Runs a command, and fails if there is no reply within `millis`. The command goes on. Without time, it is not sent.
 *
 * While replies take longer than that, the command is not sent, except one at a time, whose reply tells whether the store is
 * fast again.
 *
 * - `isPatient`: the command is sent all the same, and its caller waits. Default: false.
 * - `onLate`: runs with a reply that its caller did not wait for, and with the age of the command in milliseconds.
 */
export type Ask = <A>(
  command: Effect.Effect<A, StoreError>,
  millis: number,
  options?: AskOptions<A>
) => Effect.Effect<A, StoreError>

export interface AskOptions<A> {
  readonly isPatient?: boolean
  readonly onLate?: ((reply: A, ageMillis: number) => Effect.Effect<unknown, StoreError>) | undefined
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

const noReply = new StoreError({ reason: "no reply within the time of the call" })

/** Creates an `Ask` for commands that take similar times. They end when the scope closes. */
export const makeAsk = (
  { run }: AvailabilityGuard
): Effect.Effect<Ask, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const clock = yield* SteadyClock.current
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    /** When the commands without a reply were sent. The oldest is the first. */
    const pending = new Set<{ readonly at: number }>()
    let lastDuration = 0

    /** Whether the last reply took longer, or a command already waits for so long. */
    const isSlowerThan = (millis: number): boolean => {
      const [oldest] = pending
      return lastDuration > millis ||
        (oldest !== undefined && clock.unsafeCurrentTimeMillis() - oldest.at >= millis)
    }

    return <A>(
      command: Effect.Effect<A, StoreError>,
      millis: number,
      { isPatient = false, onLate }: AskOptions<A> = {}
    ) =>
      Effect.async<A, StoreError>((resume) => {
        const isSlow = !isPatient && isSlowerThan(millis)
        if (millis <= 0 || isSlow && pending.size > 0) return resume(noReply)
        const sent = { at: clock.unsafeCurrentTimeMillis() }
        let isLate = isSlow
        const giveUp = () => {
          isLate = true
          resume(noReply)
        }
        pending.add(sent)
        const stopTimer = isSlow ? noTimer : startTimer(clock.system, millis, giveUp)
        // The fiber succeeds with the result, because Effect logs the failure of a fiber.
        const fiber = runFork(Effect.exit(run(command)), { scope })
        fiber.addObserver((exit) => {
          stopTimer()
          pending.delete(sent)
          lastDuration = clock.unsafeCurrentTimeMillis() - sent.at
          const reply = Exit.flatten(exit)
          // The scope of the store is closing if it is interrupted.
          if (!isLate) resume(Exit.isInterrupted(reply) ? noReply : reply)
          else if (Exit.isSuccess(reply) && onLate !== undefined) {
            runFork(Effect.ignore(onLate(reply.value, lastDuration)), { scope })
          }
        })
        if (isSlow) resume(noReply)
        return Effect.sync(() => {
          stopTimer()
          isLate = true
        })
      })
  })

/**
 * How long a call that has `timeLeft` milliseconds waits for a reply that it can do without. It may have to wait for the cache and
 * for the limits, and needs most of its time for its own request.
 */
export const optionalTimeout = (timeLeft: number): number => Math.min(maxOptionalTimeout, timeLeft / 8)

/** Longer than it takes to notice that a store does not reply at all. */
const maxOptionalTimeout = 2000
