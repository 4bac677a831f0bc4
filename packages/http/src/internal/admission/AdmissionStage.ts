/**
 * The admission stage: waits until an attempt may be sent, with one API key after another until one is accepted, and settles
 * what the store granted. The only place of this process that decides which key is used, and when.
 *
 * `decide` takes the decisions; `runNext` carries them out. What a shared store answers is an input of the next
 * decision.
 */
import { CircuitOpenError, LocalLimitError, RateLimitError } from "@blockquarry/core/OperationError"
import { requestPrice } from "@blockquarry/core/RequestPrice"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { hostOf } from "../../gateway/BaseUrl.ts"
import type { SteadyClock } from "../../gateway/SteadyClock.ts"
import type { Permit, RateLimitStoreService } from "../../RateLimitStore.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  describe,
  healthOf,
  keyReplaced,
  resultOf,
  retryAfterMillisOf,
  type Send,
  type Stage,
  withCurrentKeys
} from "../call/Call.ts"
import { debugging, recordCircuitState, recordCost, recordWait } from "../call/Instrumentation.ts"
import type { KeySource } from "../call/KeySource.ts"
import { getOrInsert } from "../Maps.ts"
import { maxTrialLease } from "../stores/Gcra.ts"
import { waitAtMost } from "../Timer.ts"
import {
  AdmissionState,
  type Answer,
  type Attempt,
  decide,
  type Grant,
  leave,
  recheck,
  type RejectReason,
  setOutcome
} from "./Admission.ts"
import { mostOpen, stateNames, stateValues } from "./Circuit.ts"
import { betterOf, healthOfKeys, isKeyFailure, type KeyHealth, rejectionOf } from "./KeyStates.ts"

/** The health of a base URL that was used. */
export interface UpstreamHealth {
  /** Host and port, as in the label of the circuit breaker metric. */
  readonly host: string
  /** With several clients, the state of the circuit breaker that is furthest from closed. */
  readonly breaker: "closed" | "half-open" | "open"
  /** When an open circuit breaker allows an attempt, in milliseconds since 1970. Null if it is not open. */
  readonly retryAt: number | null
  readonly keys: ReadonlyArray<KeyHealth>
}

export interface AdmissionStage {
  /** Sends an attempt when it is admitted, and with other keys while they may succeed. */
  readonly stage: Stage
  /** By base URL. */
  readonly states: AdmissionStates
}

export type AdmissionStates = ReadonlyMap<string, AdmissionState>

/** Returns the health of each base URL, which includes the path, unlike the host in metrics. */
export const upstreamHealth = (states: AdmissionStates, clock: SteadyClock): ReadonlyArray<UpstreamHealth> =>
  [...states].map(([baseUrl, { circuits, keys }]) => {
    const { retryAt, tag } = mostOpen(circuits.values())
    return {
      host: hostOf(baseUrl),
      breaker: stateNames[tag],
      retryAt: retryAt === null ? null : clock.toSystem(retryAt),
      keys: healthOfKeys(keys, clock)
    }
  })

type AttemptExit = Exit.Exit<AttemptResponse, AttemptNoResponse>

/** An attempt with what it takes to carry out the decisions about it, in an uninterruptible region. */
interface Run {
  readonly attempt: Attempt
  readonly call: Call
  readonly state: AdmissionState
  readonly store: RateLimitStoreService
  readonly next: Send
  readonly restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How often a call is repeated with new keys: some replace others while a call waits, and a store may have no valid ones. */
const maxRepeats = 3

/** Keys that an effect reads are read in `scope`. */
export const make = (
  store: RateLimitStoreService,
  scope: Scope.Scope
): AdmissionStage => {
  const states = new Map<string, AdmissionState>()

  const runWithKeys = (call: Call, next: Send): AttemptEffect =>
    Effect.uninterruptibleMask((restore) => {
      const { context: { client }, deadline, plan: { keyPool, keys, policies } } = call
      const state = getOrInsert(states, keyPool.baseUrl, () => new AdmissionState())
      const attempt = state.begin({ client, deadline, keyPool, keys, policies })
      return runNext({ store, state, attempt, call, next, restore })
    })

  /**
   * Runs an attempt with the current keys. If others replace them before it is sent, it continues with those. If they are
   * rejected, and others replace them, it is repeated, at most three times.
   */
  const runWithCurrentKeys = (initialCall: Call, source: KeySource, next: Send) =>
    Effect.gen(function*() {
      for (let repeats = 0;;) {
        source.refresh(scope)
        const { keys } = source
        const call = withCurrentKeys(initialCall)
        const result = yield* Effect.either(runWithKeys(call, next))
        const rejection = repeats < maxRepeats && Either.isRight(result) ? rejectionOf(result.right) : null
        const continues = rejection === null
          ? healthOf(result) === "not-sent" && source.keys !== keys
          : yield* source.renew(keys, rejection, scope, timeLeftOf(call))
        if (!continues) return yield* result
        if (rejection !== null) repeats += 1
      }
    })

  return {
    stage: (next) => (call) => {
      const { keySource } = call.plan.upstream
      return keySource === null ? runWithKeys(call, next) : runWithCurrentKeys(call, keySource, next)
    },
    states
  }
}

/** Takes the next decision about an attempt, and those after it. */
const runNext = (run: Run): AttemptEffect =>
  Effect.suspend(() => {
    const { attempt, call, restore, state } = run
    for (;;) {
      const { place } = attempt
      const now = call.context.clock.unsafeCurrentTimeMillis()
      const decision = decide(state, attempt, now)
      switch (decision._tag) {
        case "Go": {
          if (decision.grant !== null) return sendGranted(run, decision.grant, place, now)
          const asking = ask(run)
          if (asking === null) continue
          return Effect.zipRight(orLeave(run, asking), runNext(run))
        }
        case "Wait": {
          const woken = restore(wakeSignal(call, attempt, decision.until - now))
          const waited = place === null ? loggingWait(call, attempt, now, woken) : woken
          return Effect.zipRight(orLeave(run, waited), runNext(run))
        }
        case "Reject": {
          if (decision.reason === "no_key") {
            return attempt.best ?? Effect.dieMessage("no keys")
          }
          const rejected = Exit.fail(rejectedBy(call, decision.reason, decision.retryAfter))
          return settle(run, rejected, attempt.grant, false, 0)
        }
      }
    }
  })

/** If an effect is interrupted or dies, such as by a logger that throws, the attempt leaves. */
const orLeave = ({ attempt }: Run, effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.onError(effect, () => Effect.sync(() => leave(attempt)))

/** Asks the store for a permit of the rate limit, and then for units of the daily quota. Null if it has answered at once. */
const ask = ({ attempt, call, store }: Run): Effect.Effect<void> | null => {
  const { accounts, cost, id, rule } = attempt.key
  const answer = (permit: Permit | null, consumption: Answer["consumption"]): void => {
    attempt.answer = { permit, consumption }
  }
  const acquired = store.acquire(id, rule, cost, trialLeaseOf(call), timeLeftOf(call))
  if (acquired.evaluate !== undefined && accounts === null) {
    answer(acquired.evaluate(call.context.clock.system.unsafeCurrentTimeMillis()), "none")
    return null
  }
  const answered = Effect.flatMap(acquired, (permit) =>
    accounts === null || permit._tag === "Delayed"
      ? Effect.sync(() => answer(permit, "none"))
      : Effect.match(store.consume(accounts, priceOf(call, attempt), timeLeftOf(call)), {
        onFailure: () => answer(permit, null),
        onSuccess: (consumption) => answer(permit, consumption)
      }))
  return Effect.catchAll(answered, () => Effect.sync(() => answer(null, null)))
}

/** Sends an attempt, records its result, and settles what it was granted. */
const sendGranted = (run: Run, grant: Grant, place: Attempt["place"], admittedAt: number): AttemptEffect => {
  const { attempt: { circuit, key, startedIn }, call, next, restore } = run
  const progress = { sent: false }
  const response = Effect.tap(
    next({ ...call, key, progress }),
    (response) => recordResponse(run, response) ?? Effect.void
  )
  const recorded = place === null ? response : Effect.suspend(() => {
    recordWait(call, place.reason, admittedAt - place.since)
    return response
  })
  const attempted = circuit.tag === "HalfOpen"
    ? Effect.zipRight(circuitChanged(run, admittedAt, "openDuration elapsed"), restore(recorded))
    : restore(recorded)
  return Effect.flatMap(Effect.exit(attempted), (exit) => {
    const result = resultOf(exit)
    const health = result === null ? "unknown" : healthOf(result)
    const now = call.context.clock.unsafeCurrentTimeMillis()
    const settled = () => settle(run, exit, grant, progress.sent, now - admittedAt)
    // Layers of one engine may have different policies, and a gateway may change its policy.
    if (!circuit.record(now, health, startedIn, call.plan.policies.breaker)) return settled()
    const changed = circuitChanged(run, now, result === null ? "interrupted" : describe(result))
    return Effect.flatMap(orLeave(run, changed), settled)
  })
}

/** Settles what an attempt was granted, and ends it with its key. Continues with others if they may succeed. */
const settle = (
  run: Run,
  exit: AttemptExit,
  grant: Grant | null,
  sent: boolean,
  age: number
): AttemptEffect => {
  const { attempt, call } = run
  const { cost, key } = attempt
  const response = Exit.isSuccess(exit) ? exit.value : null
  const weight = response === null ? null : weightOf(call, response)
  const end = (): AttemptEffect => {
    if (response?.health === "throttled") recheck(attempt)
    leave(attempt)
    // After the attempt has left, because an observer of the usage may throw.
    if (sent) recordCost(call, key.label, { cost, price: priceOf(call, attempt) }, weight)
    const result = call.plan.keys.length === 1 ? null : resultOf(exit)
    if (result === null) return exit
    setOutcome(attempt, "failed")
    attempt.best = attempt.best === null ? result : betterOf(attempt.best, result)
    return isKeyFailure(result) ? runNext(run) : attempt.best
  }
  const settlement = grant === null ? null : settlementOf(run, grant, sent, age, response, weight)
  return settlement === null ? end() : Effect.flatMap(orLeave(run, settlement), end)
}

/**
 * Gives back what the store granted if nothing was sent. Else corrects what the daily quota counts to the price of the response,
 * for which the call does not wait. Reports the result of a trial, and a 429. Null if there is nothing to wait for.
 */
const settlementOf = (
  { attempt, call, store }: Run,
  { consumption, permit }: Grant,
  sent: boolean,
  age: number,
  response: AttemptResponse | null,
  weight: number | null
): Effect.Effect<void> | null => {
  const { accounts, cost, id, rule } = attempt.key
  const report = response?.health === "throttled"
    ? store.startCooldown(id, retryAfterMillisOf(response))
    : permit.trial
    ? store.settleTrial(id, response?.health === "healthy")
    : null
  const consumed = typeof consumption === "object" && consumption?._tag === "Consumed" ? consumption : null
  // Without a price in the response, the expected one stays.
  const units = !sent ? priceOf(call, attempt) : weight === null ? 0 : priceOf(call, attempt) - weight
  const refund = accounts === null || consumed === null || units === 0
    ? null
    : store.refund(accounts, units, age, consumed)
  if (!sent) {
    // At the same time, because a shared store may be slow.
    return Effect.all(
      [report ?? Effect.void, store.release(id, rule, cost, age, permit), refund ?? Effect.void],
      { concurrency: "unbounded", discard: true }
    )
  }
  if (refund?.evaluate !== undefined) refund.evaluate(call.context.clock.system.unsafeCurrentTimeMillis())
  else if (refund !== null) return Effect.zipRight(Effect.forkDaemon(refund), report ?? Effect.void)
  return report
}

/** Returns the expected price of an attempt. */
const priceOf = ({ request }: Call, { key }: Attempt): number => requestPrice(key.price, request)

/** Records what a response shows about its key. Returns the log line, or null if nothing changed. */
const recordResponse = ({ attempt: { key }, call, state }: Run, response: AttemptResponse) => {
  const change = state.keys.record(call.plan, key, response, call.context.clock.unsafeCurrentTimeMillis())
  return change === null ? null : Effect.annotateLogs(Effect.logWithLevel(change.level, change.message), {
    key: key.label,
    host: hostOf(key.baseUrl),
    ...change.annotations
  })
}

/** Records the state of a circuit breaker in the metric, and returns its log line. */
const circuitChanged = (
  { attempt: { circuit: { retryAt, tag }, client: { name } }, call, state }: Run,
  now: number,
  reason: string
): Effect.Effect<void> => {
  const host = hostOf(call.plan.keyPool.baseUrl)
  recordCircuitState(call, host, stateValues[mostOpen(state.circuits.values()).tag])
  const log = retryAt === null || retryAt <= now
    ? Effect.logInfo(`circuit breaker ${stateNames[tag]}`)
    : Effect.logWarning(`circuit breaker open for ${Duration.format(Duration.millis(retryAt - now))}`)
  return Effect.annotateLogs(log, { host, reason, ...name === "" ? {} : { client: name } })
}

/** Completes when an attempt is woken, also before this effect runs, or after some time. */
const wakeSignal = ({ context: { clock } }: Call, attempt: Attempt, millis: number): Effect.Effect<void> => {
  let isWoken = false
  attempt.wake = () => {
    isWoken = true
  }
  return waitAtMost(clock.system, millis, Effect.void, (resume) => {
    if (isWoken) resume(Effect.void)
    attempt.wake = () => resume(Effect.void)
    return () => {}
  })
}

const loggingWait = (call: Call, { place }: Attempt, now: number, waited: Effect.Effect<void>) =>
  place === null ? waited : debugging(
    call.context,
    () => "waiting for admission",
    () => ({
      wait: place.reason,
      ...place.reason === "concurrency" ? {} : { millis: place.expectedStart - now }
    }),
    waited
  )

/** Returns the price in a response. Null if it has none. */
const weightOf = ({ plan }: Call, { response: { headers } }: AttemptResponse): number | null => {
  const { weightHeader } = plan.upstream
  const text = weightHeader === null ? undefined : headers[weightHeader]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** Returns how long a trial may take: its attempt, and a margin to report the result. */
const trialLeaseOf = ({ plan: { timeouts } }: Call): number =>
  Math.min(timeouts.attempt + trialGraceMillis, maxTrialLease)

const trialGraceMillis = 1000

const timeLeftOf = ({ context: { clock }, deadline }: Call): number =>
  deadline - clock.unsafeCurrentTimeMillis()

const rejectedBy = (
  call: Call,
  reason: Exclude<RejectReason, "no_key">,
  millis: number | null
): AttemptNoResponse => {
  if (reason === "key_replaced") return keyReplaced(call)
  const { plan: { keyPool, operation }, request: { summary } } = call
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
