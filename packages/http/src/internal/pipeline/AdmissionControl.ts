/**
 * Admission control: rate limits, daily quotas, cooldowns and the concurrency limit of attempts.
 *
 * Attempts that cannot be sent at once wait in one queue per base URL, which is fair across clients and considers
 * concurrency slots and API keys together: see `UpstreamQueue`. The daily quota is consumed last.
 */
import { maxCost } from "@blockquarry/core/Operation"
import { LocalLimitError, RateLimitError } from "@blockquarry/core/OperationError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  dayMillis,
  type Permit,
  type RateLimitRule,
  type RateLimitStoreService
} from "../../RateLimitStore.ts"
import { initialCooldown, maxCooldown } from "../stores/Gcra.ts"
import {
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  type CallWithKey,
  retryAfterMillisOf
} from "./Call.ts"
import type { Instrumentation } from "./Instrumentation.ts"
import {
  type AdmissionRequest,
  type AdmissionWaitReason,
  type Delay,
  isTooLate,
  UpstreamQueue,
  type Waiter
} from "./UpstreamQueue.ts"

export interface AdmissionControl {
  /**
   * Waits until the attempt is admitted, runs it, and starts a cooldown after a 429. `precheck` fails if waiting is
   * pointless; it runs before the wait and again before the attempt. The units of an attempt that sends nothing, by its
   * `onSent`, are given back.
   */
  readonly run: (
    call: CallWithKey,
    precheck: Effect.Effect<void, AttemptNoResponse>,
    attempt: Attempt
  ) => Effect.Effect<AttemptResponse, AttemptNoResponse>
  /** Like `run`, but does not wait: returns the expected wait in milliseconds instead. */
  readonly tryRun: (
    call: CallWithKey,
    precheck: Effect.Effect<void, AttemptNoResponse>,
    attempt: Attempt
  ) => Effect.Effect<AttemptResponse | number, AttemptNoResponse>
  /** Returns the expected wait of a new attempt in milliseconds, as far as known. */
  readonly expectedWait: (call: CallWithKey, now: number) => number
}

/** Runs an attempt. */
export type Attempt = (call: CallWithKey) => Effect.Effect<AttemptResponse, AttemptNoResponse>

/** A call that asks for admission. */
interface Admission extends AdmissionRequest {
  readonly queue: UpstreamQueue
  readonly precheck: Effect.Effect<void, AttemptNoResponse>
  readonly restore: Restore
}

/** Makes a part of an uninterruptible region interruptible. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (store: RateLimitStoreService, instrumentation: Instrumentation): AdmissionControl => {
  // By base URL.
  const queues = new Map<string, UpstreamQueue>()

  const queueOf = ({ keyPool: { baseUrl } }: Call): UpstreamQueue => {
    const existing = queues.get(baseUrl)
    if (existing !== undefined) return existing
    const created = new UpstreamQueue()
    queues.set(baseUrl, created)
    return created
  }

  const admissionOf = (
    call: CallWithKey,
    precheck: Effect.Effect<void, AttemptNoResponse>,
    restore: Restore
  ): Admission => ({ ...requestOf(call), queue: queueOf(call), precheck, restore })

  const run: AdmissionControl["run"] = (call, precheck, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const admission = admissionOf(call, precheck, restore)
      return precheck.pipe(
        Effect.zipRight(admit(admission)),
        Effect.flatMap((probe) => runAttempt(admission, probe, attempt))
      )
    })

  const tryRun: AdmissionControl["tryRun"] = (call, precheck, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const admission = admissionOf(call, precheck, restore)
      return precheck.pipe(
        Effect.zipRight(Clock.currentTimeMillis),
        Effect.flatMap((now) =>
          Effect.flatMap(
            tryAdmit(admission, now),
            (admitted): Effect.Effect<AttemptResponse | number, AttemptNoResponse> =>
              typeof admitted === "boolean"
                ? runAttempt(admission, admitted, attempt)
                : Effect.succeed(admission.queue.expectedStart(admission, admitted, now) - now)
          )
        )
      )
    })

  /** Runs an admitted attempt, which holds a slot. Gives its units back if nothing was sent. */
  const runAttempt = (
    admission: Admission,
    probe: boolean,
    attempt: Attempt
  ): Effect.Effect<AttemptResponse, AttemptNoResponse> =>
    Effect.flatMap(Clock.currentTimeMillis, (admittedAt) => {
      const { call, cost, queue, restore } = admission
      let sent = 0
      const onSent = (change: number) => {
        sent += change
        call.onSent?.(change)
      }
      return restore(attempt({ ...call, onSent })).pipe(
        Effect.onExit((exit) =>
          Effect.zipRight(
            reportResult(admission, probe, exit),
            sent > 0 ? instrumentation.recordCost(call, cost) : refund(admission, admittedAt)
          )
        ),
        Effect.ensuring(Effect.sync(() => queue.releaseSlot(admission)))
      )
    })

  const refund = ({ call, cost }: Admission, admittedAt: number): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { id, quotaId, rateLimit: { dailyQuota } } = call.key
      return Effect.zipRight(
        store.release(id, ruleOf(call), cost, now - admittedAt),
        dailyQuota === null
          ? Effect.void
          : store.refund(quotaId, { limit: dailyQuota, period: dayMillis }, cost, now - admittedAt)
      )
    })

  /** Returns with a slot and a permit, or fails with neither. True for a probe. */
  const admit = (admission: Admission): Effect.Effect<boolean, AttemptNoResponse> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.flatMap(
        tryAdmit(admission, now),
        (admitted) =>
          typeof admitted === "boolean" ? Effect.succeed(admitted) : waitInQueue(admission, admitted, now)
      ))

  /** Like `admit`, but returns the delay, with neither, instead of waiting. */
  const tryAdmit = (admission: Admission, now: number): Effect.Effect<boolean | Delay, AttemptNoResponse> => {
    const { queue } = admission
    if (queue.mustWait(admission)) return Effect.succeed(queue.delayOf(admission, now))
    return queue.tryAcquireSlot(admission)
      ? Effect.onError(
        Effect.map(requestPermit(admission), (permit) => {
          if (typeof permit !== "boolean") queue.releaseSlot(admission)
          return permit
        }),
        () => Effect.sync(() => queue.releaseSlot(admission))
      )
      : Effect.succeed({ at: now, reason: "concurrency" })
  }

  /** Requests a permit while holding a slot. Returns whether the attempt is a probe, or the delay of the permit. */
  const requestPermit = (
    admission: Admission
  ): Effect.Effect<boolean | Delay, AttemptNoResponse> =>
    admission.precheck.pipe(
      Effect.zipRight(acquirePermit(admission)),
      Effect.flatMap((permit): Effect.Effect<boolean | Delay> =>
        permit._tag === "Granted"
          ? Effect.succeed(permit.probe)
          : Effect.map(Clock.currentTimeMillis, (now) => ({
            // At least 1 ms, so that a store cannot cause a busy loop.
            at: now + Math.max(1, permit.millis),
            reason: permit.reason
          }))
      )
    )

  /** Acquires a permit of the rate limit, then consumes the daily quota. */
  const acquirePermit = (admission: Admission): Effect.Effect<Permit, AttemptNoResponse> => {
    const { call, cost, queue } = admission
    const rule = ruleOf(call)
    const permit = store.acquire(call.key.id, rule, cost, probeLeaseOf(call)).pipe(
      Effect.mapError(() => rejected(call, "unavailable", null)),
      Effect.tap((permit) =>
        Effect.sync(() => {
          // The probe is the only attempt until its result.
          if (permit._tag === "Granted") {
            queue.recordPermit(admission, permit.probe ? 0 : permit.remaining, rule.maxCost ?? cost)
          }
        })
      )
    )
    const { dailyQuota } = call.key.rateLimit
    return dailyQuota === null
      ? permit
      : Effect.tap(
        permit,
        (permit) =>
          permit._tag === "Granted"
            ? Effect.tapError(
              consumeDailyQuota(call, cost, dailyQuota, permit.probe),
              () => store.release(call.key.id, rule, cost, 0)
            )
            : Effect.void
      )
  }

  const consumeDailyQuota = (
    call: CallWithKey,
    cost: number,
    limit: number,
    probe: boolean
  ): Effect.Effect<void, AttemptNoResponse> =>
    Effect.flatMap(
      Effect.mapError(
        store.consume(call.key.quotaId, { limit, period: dayMillis }, cost),
        () => rejected(call, "unavailable", null)
      ),
      (consumption) => {
        if (consumption._tag === "Consumed") return Effect.void
        // Nothing is sent, so another attempt becomes the probe.
        const released = probe ? store.settleProbe(call.key.id, false) : Effect.void
        return Effect.zipRight(released, Effect.fail(rejected(call, "daily", consumption.millis)))
      }
    )

  const waitInQueue = (
    admission: Admission,
    delay: Delay,
    now: number
  ): Effect.Effect<boolean, AttemptNoResponse> =>
    Effect.suspend(() => {
      const { call, queue } = admission
      const { key: { rateLimit }, policies: { concurrency } } = call
      const latestStart = Math.min(call.deadline, now + Duration.toMillis(rateLimit.maxWait))
      const expectedStart = queue.expectedStart(admission, delay, now)
      const maxQueue = delay.reason === "concurrency" ? concurrency.maxQueue : rateLimit.maxQueue
      if (isTooLate(admission, expectedStart, latestStart) || queue.sizeOf(admission) >= maxQueue) {
        return Effect.fail(rejectedAfter(admission, delay, now))
      }
      const waiter = queue.add(admission, latestStart, delay, now)
      return waitForTurn(admission, waiter, delay.reason).pipe(
        Effect.ensuring(Effect.sync(() => queue.remove(waiter))),
        Effect.tap(({ reason }) =>
          Effect.flatMap(
            Clock.currentTimeMillis,
            (end) => instrumentation.recordWait(call, reason, end - now)
          )
        ),
        Effect.map(({ probe }) => probe)
      )
    })

  /** Waits until the queue gives the attempt a slot, and a permit is granted. Returns what it waited for last. */
  const waitForTurn = (
    admission: Admission,
    waiter: Waiter,
    initialReason: AdmissionWaitReason
  ): Effect.Effect<{ readonly probe: boolean; readonly reason: AdmissionWaitReason }, AttemptNoResponse> =>
    Effect.gen(function*() {
      const { queue, restore } = admission
      let reason = initialReason
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        queue.endDelay(waiter, now)
        if (waiter.availableAt !== null) {
          const delay: Delay = { at: waiter.availableAt, reason: "cooldown" }
          return yield* Effect.fail(rejectedAfter(admission, delay, now))
        }
        if (isTooLate(waiter, now, waiter.latestStart) || !waiter.hasSlot && now === waiter.latestStart) {
          queue.remove(waiter)
          const delay = queue.delayOf(admission, now)
          return yield* Effect.fail(
            rejectedAfter(admission, { at: delay.at, reason: delay.at > now ? delay.reason : reason }, now)
          )
        }
        if (!waiter.hasSlot) {
          yield* restore(wakeSignal(waiter, queue.wakeTime(waiter) - now))
          continue
        }
        const permit = yield* requestPermit(admission)
        if (typeof permit === "boolean") {
          queue.serve(waiter)
          return { probe: permit, reason }
        }
        reason = permit.reason
        queue.delay(waiter, permit)
        if (isTooLate(waiter, permit.at, waiter.latestStart)) {
          queue.remove(waiter)
          return yield* Effect.fail(rejectedAfter(admission, permit, yield* Clock.currentTimeMillis))
        }
      }
    })

  /** Reports the result of an attempt to the store. */
  const reportResult = (
    { call: { key: { id } }, queue }: Admission,
    probe: boolean,
    exit: Exit.Exit<AttemptResponse, AttemptNoResponse>
  ): Effect.Effect<void> => {
    const attemptResponse = Exit.isSuccess(exit) ? exit.value : null
    if (attemptResponse?.health === "throttled") {
      const hint = retryAfterMillisOf(attemptResponse)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        // Attempts that wait do not ask the store.
        queue.startCooldown(id, now + Math.min(hint ?? initialCooldown, maxCooldown))
        return store.startCooldown(id, hint)
      })
    }
    return probe ? store.settleProbe(id, attemptResponse?.health === "healthy") : Effect.void
  }

  return {
    run,
    tryRun,
    expectedWait: (call, now) => {
      const request = requestOf(call)
      const queue = queueOf(call)
      return queue.mustWait(request)
        ? queue.expectedStart(request, queue.delayOf(request, now), now) - now
        : 0
    }
  }
}

const requestOf = (call: CallWithKey): AdmissionRequest => ({ call, client: call.client, cost: costOf(call) })

/** Completes when the queue wakes an attempt, or after some time. */
const wakeSignal = (waiter: Waiter, millis: number): Effect.Effect<void> => {
  const woken = Effect.async<void>((resume) => {
    waiter.wake = () => resume(Effect.void)
    if (waiter.hasSlot || waiter.availableAt !== null) waiter.wake()
  })
  return millis === Number.POSITIVE_INFINITY
    ? woken
    : Effect.timeoutTo(woken, { duration: millis, onSuccess: () => {}, onTimeout: () => {} })
}

/** Returns the cost of an attempt in units. */
const costOf = ({ key: { rateLimit: { cost } }, operation }: CallWithKey): number => {
  if (typeof cost === "number") return cost
  const costs: Readonly<Record<string, number | undefined>> = cost
  return costs[operation.id] ?? operation.cost
}

const ruleOf = ({ key: { rateLimit } }: CallWithKey): RateLimitRule => ({
  limit: rateLimit.limit,
  window: Duration.toMillis(rateLimit.window),
  burst: rateLimit.burst,
  maxCost: typeof rateLimit.cost === "number"
    ? rateLimit.cost
    : Math.max(maxCost, ...Object.values(rateLimit.cost))
})

/** Returns how long a probe may take: its attempt, and a margin to report the result. */
const probeLeaseOf = ({ policies: { timeouts } }: Call): number =>
  Math.min(Duration.toMillis(timeouts.attempt), maxLeaseMillis) + probeGraceMillis

const probeGraceMillis = 1000

const maxLeaseMillis = 60_000

/** Rejects an attempt, with the time that a new one would wait. When a slot is available is unknown. */
const rejectedAfter = (admission: Admission, delay: Delay, now: number): AttemptNoResponse => {
  const wait = delay.reason === "concurrency"
    ? 0
    : admission.queue.expectedStart(admission, delay, now) - now
  return rejected(admission.call, delay.reason, wait > 0 ? wait : null)
}

const rejected = (
  call: Call,
  reason: AdmissionWaitReason | "daily" | "unavailable",
  wait: number | null
): AttemptNoResponse => ({
  error: rejectionError(call, reason, wait === null ? null : Duration.millis(Math.ceil(wait))),
  retryHint: null,
  health: "not-sent"
})

/** A cooldown is a limit of the upstream, the other reasons are limits of this program. */
const rejectionError = (
  { operation, summary }: Call,
  reason: AdmissionWaitReason | "daily" | "unavailable",
  retryAfter: Duration.Duration | null
): RateLimitError | LocalLimitError => {
  const common = { operation: operation.id, request: summary, retryAfter }
  switch (reason) {
    case "cooldown":
      return new RateLimitError({ ...common, response: null })
    case "rate_limit":
      return new LocalLimitError({ ...common, limit: "rate" })
    case "concurrency":
    case "daily":
    case "unavailable":
      return new LocalLimitError({ ...common, limit: reason })
  }
}
