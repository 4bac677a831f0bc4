/**
 * The admission stage: waits until an attempt may be sent, with one API key after another until one is accepted, and settles
 * what the store granted. The only place of this process that decides which key is used, and when.
 *
 * `decide` takes the decisions; `AdmissionLoop` carries them out. What a shared store answers is an input of the next
 * decision.
 */
import { CircuitOpenError, LocalLimitError, RateLimitError } from "@blockquarry/core/OperationError"
import { requestPrice } from "@blockquarry/core/RequestPrice"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { hostOf } from "../../BaseUrl.ts"
import type { SendObserver } from "../../CallClient.ts"
import { evaluate, type Permit, type RateLimitStoreService } from "../../RateLimitStore.ts"
import type { SteadyClock } from "../../SteadyClock.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  type CallKey,
  describe,
  healthOf,
  resultOf,
  retryAfterMillisOf,
  type Rotation
} from "../call/Call.ts"
import type { UpstreamHealth } from "../call/EngineOutput.ts"
import { debugging, type Instrumentation } from "../call/Instrumentation.ts"
import { getOrInsert } from "../Maps.ts"
import { maxTrialLease } from "../stores/Gcra.ts"
import { startTimer } from "../Timer.ts"
import {
  AdmissionState,
  type Answer,
  type Attempt,
  decide,
  type Grant,
  leave,
  recheck,
  type RejectReason
} from "./Admission.ts"
import { mostOpen, stateNames, stateValues } from "./Circuit.ts"
import { betterOf, isKeyFailure, rejectionOf } from "./KeyStates.ts"

export interface AdmissionStage {
  /** Runs an attempt when it is admitted, and with other keys while they may succeed. */
  readonly run: (call: Call, send: SendAttempt) => AttemptEffect
  /** Returns the health of each base URL, which includes the path, unlike the host in metrics. */
  readonly health: (clock: SteadyClock) => ReadonlyArray<UpstreamHealth>
}

/** Sends an attempt with a key, and reports what is sent to `onSent`. */
export type SendAttempt = (key: CallKey, onSent: SendObserver) => AttemptEffect

type AttemptExit = Exit.Exit<AttemptResponse, AttemptNoResponse>

/** Makes a part of an uninterruptible region interruptible. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How often a call is repeated with new keys: some replace others while a call waits, and a store may have no valid ones. */
const maxRepeats = 3

/** Keys that an effect reads are read in `scope`. */
export const make = (
  store: RateLimitStoreService,
  instrumentation: Instrumentation,
  scope: Scope.Scope
): AdmissionStage => {
  const states = new Map<string, AdmissionState>()

  const runWithKeys = (call: Call, send: SendAttempt): AttemptEffect =>
    Effect.uninterruptibleMask((restore) => {
      const state = getOrInsert(states, call.keyPool.baseUrl, () => new AdmissionState())
      const loop = new AdmissionLoop(store, instrumentation, state, call, send, restore)
      // Also if a logger or an observer of the usage throws.
      return Effect.ensuring(loop.next, Effect.sync(() => leave(loop.attempt)))
    })

  /**
   * Runs an attempt with the keys of now. If others replace them before it is sent, it continues with those. If they are
   * rejected, and others replace them, it is repeated, at most three times.
   */
  const runWithKeysOfNow = (initialCall: Call, { source, withKeys }: Rotation, send: SendAttempt) =>
    Effect.gen(function*() {
      for (let repeats = 0;;) {
        source.refresh(scope)
        const { keys } = source
        const call = withKeys(initialCall)
        const result = yield* Effect.either(runWithKeys(call, send))
        const rejection = repeats < maxRepeats && Either.isRight(result) ? rejectionOf(result.right) : null
        const continues = rejection === null
          ? healthOf(result) === "not-sent" && source.keys !== keys
          : yield* source.renew(keys, rejection, scope, timeLeftOf(call))
        if (!continues) return yield* result
        if (rejection !== null) repeats += 1
      }
    })

  return {
    run: (call, send) =>
      call.rotation === null ? runWithKeys(call, send) : runWithKeysOfNow(call, call.rotation, send),
    health: (clock) =>
      [...states].map(([baseUrl, { circuits, keys }]) => {
        const { retryAt, tag } = mostOpen(circuits.values())
        return {
          host: hostOf(baseUrl),
          breaker: stateNames[tag],
          retryAt: retryAt === null ? null : clock.toSystem(retryAt),
          keys: keys.health(clock)
        }
      })
  }
}

/** Carries out the decisions about one attempt. Runs in an uninterruptible region. */
class AdmissionLoop {
  readonly attempt: Attempt
  private readonly store: RateLimitStoreService
  private readonly instrumentation: Instrumentation
  private readonly state: AdmissionState
  private readonly call: Call
  private readonly send: SendAttempt
  private readonly restore: Restore

  constructor(
    store: RateLimitStoreService,
    instrumentation: Instrumentation,
    state: AdmissionState,
    call: Call,
    send: SendAttempt,
    restore: Restore
  ) {
    this.attempt = state.begin(call)
    this.store = store
    this.instrumentation = instrumentation
    this.state = state
    this.call = call
    this.send = send
    this.restore = restore
  }

  /** Takes the next decision, and those after it. */
  readonly next: AttemptEffect = Effect.suspend(() => {
    const { attempt, call } = this
    const { place } = attempt
    const now = call.clock.unsafeCurrentTimeMillis()
    const decision = decide(this.state, attempt, now)
    switch (decision._tag) {
      case "Go":
        return decision.grant === null
          ? Effect.zipRight(this.ask(), this.next)
          : this.sendGranted(decision.grant, place, now)
      case "Wait": {
        const waited = Effect.zipRight(this.restore(this.wakeSignal(decision.until - now)), this.next)
        return place === null ? loggingWait(call, attempt, now, waited) : waited
      }
      case "Reject": {
        if (decision.reason === "no_key") {
          return attempt.best ?? Effect.dieMessage("a key pool has at least one key")
        }
        const rejected = Exit.fail(rejectedBy(call, decision.reason, decision.retryAfter))
        return this.settle(rejected, attempt.grant, 0, 0)
      }
    }
  })

  /** Asks the store for a permit of the rate limit, and then for units of the daily quota. */
  private ask(): Effect.Effect<void> {
    const { attempt, attempt: { key: { accounts, cost, id, rule } }, call, store } = this
    const answer = (permit: Permit | null, consumption: Answer["consumption"]) => {
      attempt.answer = { permit, consumption }
      return Effect.void
    }
    const acquired = store.acquire(id, rule, cost, trialLeaseOf(call), timeLeftOf(call))
    return Effect.matchEffect(evaluate(acquired, call.clock.system.unsafeCurrentTimeMillis()), {
      onFailure: () => answer(null, null),
      onSuccess: (permit) =>
        accounts === null || permit._tag === "Delayed"
          ? answer(permit, "none")
          : Effect.matchEffect(store.consume(accounts, this.price, timeLeftOf(call)), {
            onFailure: () => answer(permit, null),
            onSuccess: (consumption) => answer(permit, consumption)
          })
    })
  }

  /** Sends the attempt, records its result, and settles what it was granted. */
  private sendGranted(grant: Grant, place: Attempt["place"], admittedAt: number): AttemptEffect {
    const { attempt: { circuit, key, startedIn }, call, instrumentation } = this
    let sent = 0
    const onSent: SendObserver = (change) => {
      sent += change
      call.onSent?.(change)
    }
    const recorded = Effect.suspend(() => {
      if (place !== null) instrumentation.recordWait(call, place.reason, admittedAt - place.since)
      return Effect.tap(this.send(key, onSent), (response) => this.recordResponse(response) ?? Effect.void)
    })
    const attempted = circuit.tag === "HalfOpen"
      ? Effect.zipRight(this.circuitChanged(admittedAt, "openDuration elapsed"), this.restore(recorded))
      : this.restore(recorded)
    return Effect.flatMap(Effect.exit(attempted), (exit) => {
      const result = resultOf(exit)
      const health = result === null ? "unknown" : healthOf(result)
      const now = call.clock.unsafeCurrentTimeMillis()
      const settled = Effect.suspend(() => this.settle(exit, grant, sent, now - admittedAt))
      // Layers of one engine may have different policies, and a gateway may change its policy.
      return startedIn !== null && circuit.record(now, health, startedIn, call.policies.breaker)
        ? Effect.zipRight(
          this.circuitChanged(now, result === null ? "interrupted" : describe(result)),
          settled
        )
        : settled
    })
  }

  /** Settles what the attempt was granted, and ends it with its key. Continues with others if they may succeed. */
  private settle(exit: AttemptExit, grant: Grant | null, sent: number, age: number): AttemptEffect {
    const { attempt, attempt: { key }, call } = this
    const response = Exit.isSuccess(exit) ? exit.value : null
    const weight = response === null ? null : weightOf(call, response)
    const settlement = grant === null ? null : this.settlement(grant, sent, age, response, weight)
    const release = () => {
      if (response?.health === "throttled") recheck(attempt)
      leave(attempt)
      // Last, because an observer of the usage may throw.
      if (sent > 0) {
        this.instrumentation.recordCost(call, key.label, { cost: key.cost, price: this.price }, weight)
      }
      return this.endWithKey(exit)
    }
    return settlement === null ? release() : Effect.flatMap(settlement, release)
  }

  private endWithKey(exit: AttemptExit): AttemptEffect {
    const { attempt, attempt: { best, key, tried }, call } = this
    const result = call.keys.length === 1 ? null : resultOf(exit)
    if (result === null) return exit
    tried.add(key)
    attempt.best = best === null ? result : betterOf(best, result)
    return isKeyFailure(result) ? this.next : attempt.best
  }

  /**
   * Gives back what the store granted if nothing was sent. Else corrects what the daily quota counts to the price of the response,
   * for which the call does not wait. Reports the result of a trial, and a 429. Null if there is nothing to wait for.
   */
  private settlement(
    { consumption, permit }: Grant,
    sent: number,
    age: number,
    response: AttemptResponse | null,
    weight: number | null
  ): Effect.Effect<void> | null {
    const { attempt: { key: { accounts, cost, id, rule } }, call, price, store } = this
    const report = response?.health === "throttled"
      ? store.startCooldown(id, retryAfterMillisOf(response))
      : permit.trial
      ? store.settleTrial(id, response?.health === "healthy")
      : null
    const consumed = accounts !== null && typeof consumption === "object" && consumption?._tag === "Consumed"
    const refund = (units: number) => consumed ? store.refund(accounts, units, age, consumption) : null
    if (sent === 0) {
      const effects = [report, store.release(id, rule, cost, age, permit), refund(price)]
      // At the same time, because a shared store may be slow.
      return Effect.all(effects.map((effect) => effect ?? Effect.void), {
        concurrency: "unbounded",
        discard: true
      })
    }
    const correction = weight === null || weight === price ? null : refund(price - weight)
    if (correction === null) return report
    if (correction.evaluate === undefined) {
      return Effect.zipRight(Effect.forkDaemon(correction), report ?? Effect.void)
    }
    correction.evaluate(call.clock.system.unsafeCurrentTimeMillis())
    return report
  }

  /** The expected price of the attempt. */
  private get price(): number {
    return requestPrice(this.attempt.key.price, this.call.request)
  }

  /** Records what a response shows about its key. Returns the log line, or null if nothing changed. */
  private recordResponse(response: AttemptResponse): Effect.Effect<void> | null {
    const { attempt: { key }, call } = this
    const change = this.state.keys.record(call, key, response, call.clock.unsafeCurrentTimeMillis())
    return change === null ? null : Effect.annotateLogs(Effect.logWithLevel(change.level, change.message), {
      key: key.label,
      host: hostOf(key.baseUrl),
      ...change.annotations
    })
  }

  /** Records the state of the circuit breaker in the metric, and returns its log line. */
  private circuitChanged(now: number, reason: string): Effect.Effect<void> {
    const { attempt: { circuit: { retryAt, tag }, client }, call, state } = this
    const host = hostOf(call.keyPool.baseUrl)
    const furthest = mostOpen(state.circuits.values())
    this.instrumentation.recordCircuitState(call, host, stateValues[furthest.tag])
    const log = retryAt === null || retryAt <= now
      ? Effect.logInfo(`circuit breaker ${stateNames[tag]}`)
      : Effect.logWarning(`circuit breaker open for ${Duration.format(Duration.millis(retryAt - now))}`)
    return Effect.annotateLogs(log, { host, reason, ...client.name === "" ? {} : { client: client.name } })
  }

  /** Completes when the attempt is woken, or after some time. */
  private wakeSignal(millis: number): Effect.Effect<void> {
    return Effect.async((resume) => {
      const stopTimer = Effect.sync(startTimer(this.call.clock.system, millis, () => resume(Effect.void)))
      // A timer belongs to the context of this attempt.
      this.attempt.wake = () => resume(stopTimer)
      return stopTimer
    })
  }
}

const loggingWait = (call: Call, { place }: Attempt, now: number, waited: AttemptEffect): AttemptEffect =>
  place === null ? waited : debugging(
    call,
    () => "waiting for admission",
    () => ({
      wait: place.reason,
      ...place.reason === "concurrency" ? {} : { millis: place.expectedStart - now }
    }),
    waited
  )

/** Returns the price in a response. Null if it has none. */
const weightOf = ({ weightHeader }: Call, { response: { headers } }: AttemptResponse): number | null => {
  const text = weightHeader === null ? undefined : headers[weightHeader]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** Returns how long a trial may take: its attempt, and a margin to report the result. */
const trialLeaseOf = ({ attemptTimeout }: Call): number =>
  Math.min(attemptTimeout + trialGraceMillis, maxTrialLease)

const trialGraceMillis = 1000

const timeLeftOf = ({ clock, deadline }: Call): number => deadline - clock.unsafeCurrentTimeMillis()

const rejectedBy = (
  { keyPool, operation, summary }: Call,
  reason: Exclude<RejectReason, "no_key">,
  millis: number | null
): AttemptNoResponse => {
  const retryAfter = millis === null ? null : Duration.millis(Math.ceil(millis))
  const common = { operation: operation.id, request: summary, retryAfter }
  // A cooldown is a limit of the upstream, the other reasons are limits of this program.
  const error = reason === "circuit"
    ? new CircuitOpenError({
      ...common,
      host: hostOf(keyPool.baseUrl),
      retryAfter: Duration.millis(millis ?? 0)
    })
    : reason === "cooldown"
    ? new RateLimitError({ ...common, response: null })
    : new LocalLimitError({ ...common, limit: reason === "rate_limit" ? "rate" : reason })
  return { error, retryHint: null, health: "not-sent" }
}
