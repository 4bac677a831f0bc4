/**
 * Admission control: rate limits, daily quotas, cooldowns and the concurrency limit of attempts.
 *
 * Attempts with the same API key and base URL wait in one queue in arrival order. The head waits for a concurrency slot
 * and a permit of the rate limit; the others wait behind it. The daily quota is consumed last.
 */
import { LocalLimitError, RateLimitError } from "@blockquarry/core/OperationError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Permit, RateLimitStoreService } from "../../RateLimitStore.ts"
import { initialCooldown, maxCooldown } from "../stores/Gcra.ts"
import {
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  type CallWithKey,
  retryAfterMillisOf
} from "./Call.ts"
import { FairQueue, type Restore } from "./FairQueue.ts"
import type { Instrumentation } from "./Instrumentation.ts"
import * as KeyQueue from "./KeyQueue.ts"

export interface AdmissionControl {
  /**
   * Waits until the attempt is admitted, runs it, and starts a cooldown after a 429. `precheck` fails if waiting is
   * pointless; it runs before the wait and again before the attempt.
   */
  readonly run: (
    call: CallWithKey,
    precheck: Effect.Effect<void, AttemptNoResponse>,
    attempt: Effect.Effect<AttemptResponse, AttemptNoResponse>
  ) => Effect.Effect<AttemptResponse, AttemptNoResponse>
  /** Like `run`, but does not wait: returns the expected wait in milliseconds instead. */
  readonly tryRun: (
    call: CallWithKey,
    precheck: Effect.Effect<void, AttemptNoResponse>,
    attempt: Effect.Effect<AttemptResponse, AttemptNoResponse>
  ) => Effect.Effect<AttemptResponse | number, AttemptNoResponse>
  /** Returns the expected wait of a new attempt in milliseconds, as far as known. */
  readonly expectedWait: (call: CallWithKey, now: number) => number
}

/** A call that waits for admission. */
interface AdmissionRequest {
  readonly call: CallWithKey
  readonly queue: KeyQueue.KeyQueue
  readonly slots: FairQueue
  readonly precheck: Effect.Effect<void, AttemptNoResponse>
  readonly restore: Restore
}

export const make = (store: RateLimitStoreService, instrumentation: Instrumentation): AdmissionControl => {
  const queues = new Map<string, KeyQueue.KeyQueue>()
  const slotsByUpstream = new Map<string, FairQueue>()

  const queueOf = ({ key }: CallWithKey): KeyQueue.KeyQueue => {
    const existing = queues.get(key.id)
    if (existing !== undefined) return existing
    const queue = KeyQueue.make()
    queues.set(key.id, queue)
    return queue
  }

  const slotsOf = ({ policies: { concurrency: { limit } }, keyPool }: CallWithKey): FairQueue => {
    const slotsKey = `${keyPool.baseUrl} ${limit}`
    const existing = slotsByUpstream.get(slotsKey)
    if (existing !== undefined) return existing
    const created = new FairQueue(limit)
    slotsByUpstream.set(slotsKey, created)
    return created
  }

  const run: AdmissionControl["run"] = (call, precheck, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const slots = slotsOf(call)
      return precheck.pipe(
        Effect.zipRight(withQueue(call, (queue) => admit({ call, queue, slots, precheck, restore }))),
        Effect.flatMap((probe) => runAttempt(call, slots, probe, restore(attempt)))
      )
    })

  const tryRun: AdmissionControl["tryRun"] = (call, precheck, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const slots = slotsOf(call)
      const admitted = withQueue(call, (queue) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(
            tryAdmit({ call, queue, slots, precheck, restore }, now),
            (probe) => probe ?? KeyQueue.expectedStart(queue, call, now) - now
          )))
      return precheck.pipe(
        Effect.zipRight(admitted),
        Effect.flatMap((permit): Effect.Effect<AttemptResponse | number, AttemptNoResponse> =>
          typeof permit === "number"
            ? Effect.succeed(permit)
            : runAttempt(call, slots, permit, restore(attempt))
        )
      )
    })

  /** Runs an admitted attempt, which holds a slot. Gives its units back if nothing was sent. */
  const runAttempt = (
    call: CallWithKey,
    slots: FairQueue,
    probe: boolean,
    attempt: Effect.Effect<AttemptResponse, AttemptNoResponse>
  ): Effect.Effect<AttemptResponse, AttemptNoResponse> =>
    Effect.flatMap(Clock.currentTimeMillis, (admittedAt) =>
      Effect.onExit(attempt, (exit) =>
        Effect.zipRight(
          reportResult(admission, probe, exit),
          wasSent(exit)
            ? instrumentation.recordCost(admission.call, admission.cost)
            : refund(admission, admittedAt)
        ))).pipe(
        Effect.ensuring(Effect.sync(() => admission.queue.releaseSlot(admission)))
      )

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
  const admit = (request: AdmissionRequest): Effect.Effect<boolean, AttemptNoResponse> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.flatMap(
        tryAdmit(request, now),
        (probe) => probe === null ? waitInQueue(request, now) : Effect.succeed(probe)
      ))

  /** Like `admit`, but returns null, with neither, instead of waiting. */
  const tryAdmit = (
    request: AdmissionRequest,
    now: number
  ): Effect.Effect<boolean | null, AttemptNoResponse> => {
    const { queue, slots } = request
    // An empty queue may be bypassed.
    if (!queue.fairQueue.isFree) return Effect.succeed(null)
    if (slots.tryAcquire()) return acquirePermit(request)
    queue.next = { at: now, reason: "concurrency" }
    return Effect.succeed(null)
  }

  /** Requests a permit while holding a slot. Releases the slot and returns null if the permit is delayed. */
  const acquirePermit = (
    { call, queue, slots, precheck }: AdmissionRequest
  ): Effect.Effect<boolean | null, AttemptNoResponse> =>
    precheck.pipe(
      Effect.zipRight(requestPermit(call)),
      Effect.onError(() => Effect.sync(() => slots.release())),
      Effect.flatMap((permit) => {
        if (permit._tag === "Granted") return Effect.succeed(permit.probe)
        slots.release()
        return Effect.map(Clock.currentTimeMillis, (now) => {
          // At least 1 ms, so that a store cannot cause a busy loop.
          const millis = permit.millis > 0 ? permit.millis : 1
          queue.next = { at: now + millis, reason: permit.reason }
          return null
        })
      })
    )

  /** Acquires a permit of the rate limit, then consumes the daily quota. */
  const requestPermit = (call: CallWithKey): Effect.Effect<Permit, AttemptNoResponse> => {
    const permit = store.acquire(
      call.key.id,
      KeyQueue.ruleOf(call),
      KeyQueue.costOf(call),
      KeyQueue.probeLeaseOf(call)
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
              () => store.release(call.key.id, ruleOf(call), cost, 0)
            )
            : Effect.void
      )
  }

  const consumeDailyQuota = (
    call: CallWithKey,
    limit: number,
    probe: boolean
  ): Effect.Effect<void, AttemptNoResponse> =>
    Effect.flatMap(
      store.consume(call.key.id, { limit, period: dayMillis }, KeyQueue.costOf(call)),
      (consumption) => {
        if (consumption._tag === "Consumed") return Effect.void
        // Nothing is sent, so another attempt becomes the probe.
        const released = probe ? store.settleProbe(call.key.id, false) : Effect.void
        return Effect.zipRight(released, Effect.fail(rejected(call, "daily", consumption.millis)))
      }
    )

  const waitInQueue = (request: AdmissionRequest, now: number): Effect.Effect<boolean, AttemptNoResponse> =>
    Effect.suspend(() => {
      const { call, queue, restore } = request
      const { key: { rateLimit }, policies: { concurrency } } = call
      const { reason } = queue.next
      const latestStart = Math.min(call.deadline, now + Duration.toMillis(rateLimit.maxWait))
      const cost = KeyQueue.costOf(call)
      const expectedStart = KeyQueue.expectedStart(queue, call, now)
      const maxQueue = reason === "concurrency" ? concurrency.maxQueue : rateLimit.maxQueue
      if (isTooLate(call, expectedStart, latestStart) || KeyQueue.queueLength(queue) >= maxQueue) {
        return Effect.fail(rejected(call, reason, reason === "concurrency" ? null : expectedStart - now))
      }
      queue.queuedCost += cost
      return queue.fairQueue.acquire(latestStart - now, restore).pipe(
        Effect.ensuring(Effect.sync(() => {
          queue.queuedCost -= cost
        })),
        Effect.flatMap((acquired) =>
          acquired
            ? waitAtHead(request, latestStart).pipe(
              // The next attempt may cost less, and requests its own permit.
              Effect.onError(() =>
                Effect.sync(() => {
                  queue.next = { at: 0, reason: queue.next.reason }
                })
              ),
              Effect.ensuring(Effect.sync(() => queue.fairQueue.release()))
            )
            : Effect.fail(rejected(call, queue.next.reason, null))
        ),
        Effect.tap(() => recordWait(call, now, queue.next.reason))
      )
    })

  /** Waits at the head of the queue for a slot and a permit. Holds no slot while the permit is delayed. */
  const waitAtHead = (
    request: AdmissionRequest,
    latestStart: number
  ): Effect.Effect<boolean, AttemptNoResponse> =>
    Effect.gen(function*() {
      const { call, queue, slots, restore } = request
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const { at, reason } = queue.next
        if (isTooLate(call, Math.max(at, now), latestStart)) {
          const wait = reason === "concurrency" || at <= now ? null : at - now
          return yield* Effect.fail(rejected(call, reason, wait))
        }
        if (at > now) yield* restore(Effect.sleep(at - now))
        if (!slots.tryAcquire()) {
          const current = yield* Clock.currentTimeMillis
          queue.next = { at: current, reason: "concurrency" }
          if (!(yield* slots.acquire(latestStart - current, restore))) {
            return yield* Effect.fail(rejected(call, "concurrency", null))
          }
        }
        const probe = yield* acquirePermit(request)
        if (probe !== null) return probe
      }
    })

  const recordWait = (
    call: CallWithKey,
    startedAt: number,
    reason: KeyQueue.AdmissionWaitReason
  ): Effect.Effect<void> =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => instrumentation.recordWait(call, reason, now - startedAt)
    )

  /** Reports the result of an attempt to the store. */
  const reportResult = (
    call: CallWithKey,
    probe: boolean,
    exit: Exit.Exit<AttemptResponse, AttemptNoResponse>
  ): Effect.Effect<void> => {
    const attemptResponse = Exit.isSuccess(exit) ? exit.value : null
    const { id } = call.key
    if (attemptResponse?.health === "throttled") {
      const hint = retryAfterMillisOf(attemptResponse)
      return Effect.zipRight(noteCooldown(call, hint), store.startCooldown(id, hint))
    }
    return probe ? store.settleProbe(id, attemptResponse?.health === "healthy") : Effect.void
  }

  /** Informs the queue about a cooldown, because new attempts behind the head do not ask the store. */
  const noteCooldown = (call: CallWithKey, hint: number | null): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const queue = queues.get(call.key.id)
      const at = now + Math.min(hint ?? initialCooldown, maxCooldown)
      if (queue !== undefined && at > queue.next.at) queue.next = { at, reason: "cooldown" }
    })

  return {
    run,
    tryRun,
    expectedWait: (call, now) => {
      const queue = queues.get(call.key.id)
      return queue === undefined || queue.fairQueue.isFree
        ? 0
        : KeyQueue.expectedStart(queue, call, now) - now
    }
  }
}

/** A UTC day in milliseconds. */
export const dayMillis = 24 * 3_600_000

/** Whether an attempt would be sent after its latest start, or at the deadline of its call. */
const isTooLate = ({ deadline }: Call, at: number, latestStart: number): boolean =>
  at > latestStart || at >= deadline

const rejected = (
  call: Call,
  reason: KeyQueue.AdmissionWaitReason | "daily",
  wait: number | null
): AttemptNoResponse => ({
  error: rejectionError(call, reason, wait === null ? null : Duration.millis(Math.ceil(wait))),
  retryHint: null,
  health: "not-sent"
})

/** A cooldown is a limit of the upstream, the other reasons are limits of this program. */
const rejectionError = (
  { operation, summary }: Call,
  reason: KeyQueue.AdmissionWaitReason | "daily",
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
      return new LocalLimitError({ ...common, limit: reason })
  }
}
const byClient = Order.mapInput(Order.string, ({ client }: ClientLoad) => client)

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

/** Whether an attempt sent its request, or may have. */
const wasSent = (exit: Exit.Exit<AttemptResponse, AttemptNoResponse>): boolean => {
  if (Exit.isSuccess(exit) || exit.cause._tag !== "Fail") return true
  const { error, health } = exit.cause.error
  return error._tag === "NetworkError" ? error.sent : health !== "not-sent"
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

