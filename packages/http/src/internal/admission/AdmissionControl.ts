/**
 * Admission control: rate limits, daily quotas, cooldowns and the concurrency limit of attempts.
 *
 * Attempts that cannot be sent at once wait in one queue per base URL, which is fair across clients and considers
 * concurrency slots and API keys together: see `UpstreamQueue`. The daily quota is consumed last.
 */
import { LocalLimitError, RateLimitError } from "@blockquarry/core/OperationError"
import { requestPrice } from "@blockquarry/core/RequestPrice"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SendObserver } from "../../CallClient.ts"
import { type Consumption, evaluate, type Permit, type RateLimitStoreService } from "../../RateLimitStore.ts"
import type { CircuitBreakerStage } from "../breaker/CircuitBreakerStage.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  type CallKey,
  keyReplaced,
  retryAfterMillisOf
} from "../call/Call.ts"
import { debugging, type Instrumentation } from "../call/Instrumentation.ts"
import { getOrInsert } from "../Maps.ts"
import { maxTrialLease } from "../stores/Gcra.ts"
import * as LruMap from "../stores/LruMap.ts"
import { startTimer } from "../Timer.ts"
import {
  type AdmissionRequest,
  type AdmissionWaitReason,
  type Delay,
  isTooLate,
  UpstreamQueue,
  type Waiter
} from "./UpstreamQueue.ts"

export type AdmissionControl = ReturnType<typeof make>

/** An attempt with a key. It reports what it sends to `onSent`. */
export type Attempt = (key: CallKey, onSent: SendObserver) => AttemptEffect

interface Admission extends AdmissionRequest {
  /** The expected price of the attempt. */
  readonly price: number
  readonly queue: UpstreamQueue
  readonly restore: Restore
}

/** What an admitted attempt holds in the store. No consumption without a daily quota. */
interface Grant {
  readonly permit: Extract<Permit, { readonly _tag: "Granted" }>
  readonly consumption: Consumption | null
}

const isGrant = (admitted: Grant | Delay): admitted is Grant => "permit" in admitted

/** Makes a part of an uninterruptible region interruptible. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (
  store: RateLimitStoreService,
  circuitBreaker: CircuitBreakerStage,
  instrumentation: Instrumentation
) => {
  // By base URL or tenant. A tenant whose queue is evicted begins with all of its slots.
  const queues = LruMap.make<UpstreamQueue>({ maxSize: 10_000 })

  const queueOf = ({ keyPool: { baseUrl, tenant } }: Call): UpstreamQueue =>
    getOrInsert(queues, tenant ?? baseUrl, () => new UpstreamQueue())

  /**
   * Waits until the attempt is admitted, runs it unless the circuit breaker is open, and reports a 429 to the store.
   * The units of an attempt that sends nothing, by its `onSent`, are given back.
   */
  const run = (call: Call, key: CallKey, attempt: Attempt): AttemptEffect =>
    runOrElse(call, key, attempt, (admission, delay, now) =>
      Effect.flatMap(
        waitInQueue(admission, delay, now),
        (grant) => runAttempt(admission, grant, attempt)
      ))

  /** Like `run`, but does not wait: returns the expected wait in milliseconds instead. */
  const tryRun = (call: Call, key: CallKey, attempt: Attempt): AttemptEffect<AttemptResponse | number> =>
    runOrElse(
      call,
      key,
      attempt,
      (admission, delay, now) => Effect.succeed(admission.queue.expectedStart(admission, delay, now) - now)
    )

  /** Runs an attempt that need not wait. Otherwise continues with its delay. */
  const runOrElse = <A>(
    call: Call,
    key: CallKey,
    attempt: Attempt,
    onDelay: (admission: Admission, delay: Delay, now: number) => AttemptEffect<A>
  ): AttemptEffect<AttemptResponse | A> =>
    Effect.uninterruptibleMask((restore) => {
      const admission = {
        call,
        key,
        client: call.client,
        cost: key.cost,
        price: requestPrice(key.price, call.request),
        queue: queueOf(call),
        restore
      }
      const now = call.clock.unsafeCurrentTimeMillis()
      return Effect.flatMap(
        tryAdmit(admission, now),
        (admitted): AttemptEffect<AttemptResponse | A> =>
          isGrant(admitted) ? runAttempt(admission, admitted, attempt) : onDelay(admission, admitted, now)
      )
    })

  /**
   * Admits an attempt if it need not wait: returns its grant, and holds a slot. Else returns the delay, and holds neither.
   */
  const tryAdmit = (admission: Admission, now: number): AttemptEffect<Grant | Delay> => {
    const { call, queue } = admission
    const rejection = circuitBreaker.check(call, now)
    if (rejection !== null) return Effect.fail(rejection)
    if (queue.mustWait(admission)) return Effect.succeed(queue.delayOf(admission, now))
    if (!queue.tryAcquireSlot(admission)) return Effect.succeed({ at: now, reason: "concurrency" })
    return Effect.onExit(
      requestPermit(admission),
      (exit) =>
        Exit.isSuccess(exit) && isGrant(exit.value)
          ? Effect.void
          : Effect.sync(() => queue.releaseSlot(admission))
    )
  }

  /**
   * Acquires a permit of the rate limit while holding a slot, and then consumes the daily quota. Returns the grant, or the
   * delay of the permit.
   */
  const requestPermit = (admission: Admission): AttemptEffect<Grant | Delay> => {
    const { call, cost, key: { id, rule }, queue } = admission
    const acquired = evaluate(
      store.acquire(id, rule, cost, trialLeaseOf(call), timeLeftOf(call)),
      call.clock.system.unsafeCurrentTimeMillis()
    )
    return Effect.matchEffect(acquired, {
      onFailure: () => Effect.fail(rejected(call, "unavailable", null)),
      onSuccess: (permit): AttemptEffect<Grant | Delay> => {
        if (permit._tag === "Delayed") return Effect.succeed(delayOfPermit(call, permit))
        queue.recordPermit(admission, permit.remaining, rule.maxCost ?? cost)
        return consumeDailyQuota(admission, permit)
      }
    })
  }

  /** Consumes the daily quota of a granted permit, or gives the permit back. */
  const consumeDailyQuota = (
    admission: Admission,
    permit: Grant["permit"]
  ): AttemptEffect<Grant> => {
    const { call, key, price } = admission
    const { accounts, id } = key
    const grant = { permit, consumption: null }
    if (accounts === null) return Effect.succeed(grant)
    // Nothing is sent, so another attempt becomes the trial.
    const reject = (noResponse: AttemptNoResponse) =>
      Effect.zipRight(
        giveBack(admission, grant, 0, permit.trial ? store.settleTrial(id, false) : null),
        Effect.fail(noResponse)
      )
    return Effect.matchEffect(store.consume(accounts, price, timeLeftOf(call)), {
      onFailure: () => reject(rejected(call, "unavailable", null)),
      onSuccess: (consumption) =>
        consumption._tag === "Consumed"
          ? Effect.succeed({ permit, consumption })
          : reject(rejected(call, "daily", consumption.millis))
    })
  }

  const waitInQueue = (
    admission: Admission,
    delay: Delay,
    now: number
  ): AttemptEffect<Grant> =>
    Effect.suspend(() => {
      const { call, key: { maxWait, rateLimit }, queue } = admission
      const latestStart = Math.min(call.deadline, now + maxWait)
      const expectedStart = queue.expectedStart(admission, delay, now)
      const maxQueue = delay.reason === "concurrency"
        ? call.policies.concurrency.maxQueue
        : rateLimit.maxQueue
      if (isTooLate(admission, expectedStart, latestStart) || queue.sizeOf(admission) >= maxQueue) {
        return Effect.fail(rejectedAfter(admission, delay, now))
      }
      const waiter = queue.add(admission, latestStart, delay, now)
      const waited = debugging(
        call,
        () => "waiting for admission",
        () => ({
          wait: delay.reason,
          ...delay.reason === "concurrency" ? {} : { millis: expectedStart - now }
        }),
        waitForTurn(admission, waiter, delay.reason, now)
      )
      return Effect.ensuring(waited, Effect.sync(() => queue.remove(waiter)))
    })

  /** Waits until the queue gives the attempt a slot, and a permit is granted. */
  const waitForTurn = (
    admission: Admission,
    waiter: Waiter,
    initialReason: AdmissionWaitReason,
    startedAt: number
  ): AttemptEffect<Grant> =>
    Effect.gen(function*() {
      const { call, queue, restore } = admission
      let reason = initialReason
      for (;;) {
        const now = call.clock.unsafeCurrentTimeMillis()
        queue.endDelay(waiter, now)
        if (admission.key.isReplaced()) return yield* Effect.fail(keyReplaced(call))
        const { turn } = waiter
        if (typeof turn === "object") return yield* Effect.fail(rejectedAfter(admission, turn, now))
        const isQueued = turn === "queued"
        if (isTooLate(waiter, now, waiter.latestStart) || isQueued && now === waiter.latestStart) {
          queue.remove(waiter)
          const delay = queue.delayOf(admission, now)
          return yield* Effect.fail(
            rejectedAfter(admission, { at: delay.at, reason: delay.at > now ? delay.reason : reason }, now)
          )
        }
        if (isQueued) {
          yield* restore(wakeSignal(call, waiter, queue.wakeTime(waiter) - now))
          continue
        }
        const rejection = circuitBreaker.check(call, now)
        if (rejection !== null) return yield* Effect.fail(rejection)
        const permit = yield* requestPermit(admission)
        if (isGrant(permit)) {
          // Before the attempt keeps its slot, because an observer of the usage may throw.
          instrumentation.recordWait(call, reason, call.clock.unsafeCurrentTimeMillis() - startedAt)
          queue.serve(waiter)
          return permit
        }
        reason = permit.reason
        queue.delay(waiter, permit)
        if (isTooLate(waiter, permit.at, waiter.latestStart)) {
          queue.remove(waiter)
          return yield* Effect.fail(rejectedAfter(admission, permit, call.clock.unsafeCurrentTimeMillis()))
        }
      }
    })

  /** Runs an admitted attempt, which holds a slot. Gives its units back if nothing was sent, else settles its price. */
  const runAttempt = (admission: Admission, grant: Grant, attempt: Attempt): AttemptEffect => {
    const { call, key, queue, restore } = admission
    const admittedAt = call.clock.unsafeCurrentTimeMillis()
    let sent = 0
    const onSent: SendObserver = (change) => {
      sent += change
      call.onSent?.(change)
    }
    const attempted = circuitBreaker.run(call, restore(attempt(key, onSent)))
    return Effect.flatMap(Effect.exit(attempted), (exit) => {
      const report = reportResult(admission, grant.permit.trial, exit)
      const age = call.clock.unsafeCurrentTimeMillis() - admittedAt
      const weight = Exit.isSuccess(exit) ? weightOf(call, exit.value) : null
      const settled = sent > 0
        ? settlePrice(admission, grant, age, weight, report)
        : giveBack(admission, grant, age, report)
      const release = () => {
        if (Exit.isSuccess(exit) && exit.value.health === "throttled") queue.recheck(key.id)
        queue.releaseSlot(admission)
        // Last, because an observer of the usage may throw.
        if (sent > 0) instrumentation.recordCost(call, key.label, admission, weight)
      }
      if (settled !== null) return Effect.zipRight(Effect.ensuring(settled, Effect.sync(release)), exit)
      release()
      return exit
    })
  }

  /** Reports the result of an attempt to the store. Null if there is nothing to report. */
  const reportResult = (
    { key: { id } }: Admission,
    trial: boolean,
    exit: Exit.Exit<AttemptResponse, AttemptNoResponse>
  ): Effect.Effect<void> | null => {
    const response = Exit.isSuccess(exit) ? exit.value : null
    if (response?.health === "throttled") return store.startCooldown(id, retryAfterMillisOf(response))
    return trial ? store.settleTrial(id, response?.health === "healthy") : null
  }

  /**
   * Corrects what the daily quota counts for an attempt to the price in its response. A call waits for `next` only, because a
   * shared store may be slow.
   */
  const settlePrice = (
    { call, key: { accounts }, price }: Admission,
    { consumption }: Grant,
    age: number,
    weight: number | null,
    next: Effect.Effect<void> | null
  ): Effect.Effect<void> | null => {
    if (accounts === null || consumption === null || weight === null || weight === price) return next
    const refund = store.refund(accounts, price - weight, age, consumption)
    if (refund.evaluate === undefined) return Effect.zipRight(Effect.forkDaemon(refund), next ?? Effect.void)
    refund.evaluate(call.clock.system.unsafeCurrentTimeMillis())
    return next
  }

  /** Gives the units of an attempt back, and reports its result. At the same time, because a shared store may be slow. */
  const giveBack = (
    { cost, key: { accounts, id, rule }, price }: Admission,
    { consumption, permit }: Grant,
    age: number,
    report: Effect.Effect<void> | null
  ): Effect.Effect<void> =>
    Effect.all(
      [
        report ?? Effect.void,
        store.release(id, rule, cost, age, permit),
        accounts === null || consumption === null
          ? Effect.void
          : store.refund(accounts, price, age, consumption)
      ],
      { concurrency: "unbounded", discard: true }
    )

  return {
    run,
    tryRun,
    /** Returns the expected wait of a new attempt in milliseconds, as far as known. */
    expectedWait: (call: Call, key: CallKey, now: number): number => {
      const request = { call, key, client: call.client, cost: key.cost }
      const queue = queueOf(call)
      return queue.mustWait(request)
        ? queue.expectedStart(request, queue.delayOf(request, now), now) - now
        : 0
    }
  }
}

/** Returns the price in a response. Null if it has none. */
const weightOf = ({ weightHeader }: Call, { response: { headers } }: AttemptResponse): number | null => {
  const text = weightHeader === null ? undefined : headers[weightHeader]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null
}

const delayOfPermit = (
  call: Call,
  { millis, reason }: Extract<Permit, { readonly _tag: "Delayed" }>
): Delay => ({
  // At least 1 ms, so that a store cannot cause a busy loop.
  at: call.clock.unsafeCurrentTimeMillis() + Math.max(1, millis),
  reason
})

/** Completes when the queue wakes an attempt, or after some time. */
const wakeSignal = ({ clock }: Call, waiter: Waiter, millis: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const stopTimer = Effect.sync(startTimer(clock.system, millis, () => resume(Effect.void)))
    // A timer belongs to the context of this attempt.
    waiter.wake = () => resume(stopTimer)
    if (waiter.turn !== "queued") waiter.wake()
    return stopTimer
  })

/** Returns how long a trial may take: its attempt, and a margin to report the result. */
const trialLeaseOf = ({ attemptTimeout }: Call): number =>
  Math.min(attemptTimeout + trialGraceMillis, maxTrialLease)

const trialGraceMillis = 1000

const timeLeftOf = ({ clock, deadline }: Call): number => deadline - clock.unsafeCurrentTimeMillis()

/** Rejects an attempt, with the time that a new one would wait, which is unknown for a slot. */
const rejectedAfter = (admission: Admission, delay: Delay, now: number): AttemptNoResponse => {
  const wait = delay.reason === "concurrency"
    ? 0
    : admission.queue.expectedStart(admission, delay, now) - now
  return rejected(admission.call, delay.reason, wait > 0 ? wait : null)
}

const rejected = (
  { operation, summary }: Call,
  reason: AdmissionWaitReason | "daily" | "unavailable",
  wait: number | null
): AttemptNoResponse => {
  const retryAfter = wait === null ? null : Duration.millis(Math.ceil(wait))
  const common = { operation: operation.id, request: summary, retryAfter }
  return {
    // A cooldown is a limit of the upstream, the other reasons are limits of this program.
    error: reason === "cooldown"
      ? new RateLimitError({ ...common, response: null })
      : new LocalLimitError({ ...common, limit: reason === "rate_limit" ? "rate" : reason }),
    retryHint: null,
    health: "not-sent"
  }
}
