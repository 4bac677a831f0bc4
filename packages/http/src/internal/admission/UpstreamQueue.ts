/**
 * The queue of attempts at one base URL. It considers concurrency slots and API keys together.
 *
 * An attempt that is next is given a slot, and requests a permit of the rate limit. Several attempts with the same key do
 * so at the same time, as far as the last permit left units for all of them. An attempt whose permit is delayed waits
 * without a slot, and so do the other attempts with its key. A client without a slot and a key with a delayed permit block no
 * other client and no other key.
 */
import type { CallClient } from "../../CallClient.ts"
import { FairQueue, type QueuedItem, type QueueItem } from "../../FairQueue.ts"
import { FairShare } from "../../FairShare.ts"
import type { Call, CallKey } from "../call/Call.ts"
import { getOrInsert } from "../Maps.ts"

export type AdmissionWaitReason = "rate_limit" | "cooldown" | "concurrency"

/** When an attempt may be sent, as far as known, and what it waits for. */
export interface Delay {
  readonly at: number
  readonly reason: AdmissionWaitReason
}

export interface AdmissionRequest extends QueueItem {
  readonly call: Call
  readonly key: CallKey
  readonly client: CallClient
}

export interface Waiter extends AdmissionRequest, Pick<QueuedItem, "arrival"> {
  readonly keyQueue: KeyQueue
  readonly latestStart: number
  /** It holds a slot while it is `requesting` a permit. A delay is too long for it. */
  turn: "queued" | "requesting" | Delay
  /** Resumes the fiber after a change of the other fields. */
  wake: () => void
}

interface KeyQueue {
  /** Those without a slot. */
  readonly waiters: FairQueue<Waiter>
  /** The attempt whose permit is delayed until `next`. While there is one, no other requests a permit. */
  delayed: Waiter | null
  /** When the next permit may be granted, as far as known. */
  next: Delay
  /** Number and cost of the attempts that request permits. */
  requests: number
  requestedCost: number
  /** Several attempts request permits at the same time only up to this cost, or else most of them would be delayed. */
  unitsLeft: number
}

export class UpstreamQueue {
  private readonly keyQueues = new Map<string, KeyQueue>()
  // Policies may have different limits. Each attempt applies its own limit to the slots that all attempts hold.
  private readonly slots = new FairShare()
  private arrivals = 0

  tryAcquireSlot({ call: { policies }, client: { name, share } }: AdmissionRequest): boolean {
    return this.slots.tryAcquire(name, 1, policies.concurrency.limit, share)
  }

  /** Releases a slot to the next waiting attempt. */
  releaseSlot(request: AdmissionRequest): void {
    this.slots.release(request.client.name, 1)
    this.dispatch()
  }

  /** Whether a new attempt must wait behind others. */
  mustWait({ client, key }: AdmissionRequest): boolean {
    const keyQueue = this.keyQueues.get(key.id)
    return keyQueue !== undefined && (!mayRequest(keyQueue) || keyQueue.waiters.sizeOf(client) > 0)
  }

  /** Returns what a new attempt that must wait waits for, and until when, as far as known. */
  delayOf(request: AdmissionRequest, now: number): Delay {
    const next = this.keyQueues.get(request.key.id)?.next
    return next !== undefined && (next.at > now || this.mayAcquireSlot(request))
      ? next
      : { at: now, reason: "concurrency" }
  }

  /** Estimates when a new attempt may be sent. A lower bound, unless it waits for the rate limit. */
  expectedStart(request: AdmissionRequest, { at, reason }: Delay, now: number): number {
    const start = Math.max(now, at)
    const { id, rule: { burst, limit, window } } = request.key
    const keyQueue = this.keyQueues.get(id)
    if (keyQueue === undefined) return start
    const cost = keyQueue.waiters.costUntilServed(request)
    const delayedCost = reason === "rate_limit"
      // `at` includes the delayed attempt.
      ? Math.max(request.cost, cost - (keyQueue.delayed?.cost ?? 0))
      // How much of the burst is available then is unknown.
      : Math.max(0, cost - burst)
    return start + delayedCost * window / limit
  }

  /** Number of waiting attempts with the same client and API key. */
  sizeOf({ client, key }: AdmissionRequest): number {
    return this.keyQueues.get(key.id)?.waiters.sizeOf(client) ?? 0
  }

  /** Adds an attempt, whose permit is delayed if it is the first of its key with a delay. */
  add(request: AdmissionRequest, latestStart: number, delay: Delay, now: number): Waiter {
    const isDelayed = delay.at > now
    const keyQueue = getOrInsert(this.keyQueues, request.key.id, () => ({
      waiters: new FairQueue<Waiter>(),
      delayed: null,
      next: delay,
      requests: 0,
      requestedCost: 0,
      unitsLeft: isDelayed ? 0 : Number.POSITIVE_INFINITY
    }))
    const waiter: Waiter = {
      ...request,
      keyQueue,
      latestStart,
      arrival: this.arrivals += 1,
      turn: "queued",
      wake: () => {}
    }
    keyQueue.waiters.add(waiter)
    if (keyQueue.delayed === null && isDelayed) {
      keyQueue.delayed = waiter
      keyQueue.next = delay
    }
    this.dispatch()
    return waiter
  }

  /** Returns when an attempt must act that is not woken. */
  wakeTime(waiter: Waiter): number {
    const { keyQueue: { delayed, next }, latestStart } = waiter
    return delayed === waiter ? Math.min(next.at, latestStart) : latestStart
  }

  /** After the delay of a permit, lets the attempt that is next request one. */
  endDelay({ key, keyQueue: { delayed, next } }: Waiter, now: number): void {
    if (delayed !== null && next.at <= now) this.recheck(key.id)
  }

  /** Lets the attempt that is next request a permit, because another delay may apply now. */
  recheck(keyId: string): void {
    const keyQueue = this.keyQueues.get(keyId)
    if (keyQueue === undefined) return
    keyQueue.delayed = null
    keyQueue.unitsLeft = 0
    this.dispatch()
  }

  /** Records a granted permit that left `remaining` units. `maxCost` is the cost of the most expensive attempt. */
  recordPermit({ key }: AdmissionRequest, remaining: number, maxCost: number): void {
    const keyQueue = this.keyQueues.get(key.id)
    if (keyQueue !== undefined) keyQueue.unitsLeft = remaining - maxCost
  }

  /** The permit of an attempt with a slot is delayed: it waits without a slot. */
  delay(waiter: Waiter, delay: Delay): void {
    const { keyQueue } = waiter
    this.endRequest(waiter)
    keyQueue.waiters.restore(waiter)
    keyQueue.unitsLeft = 0
    if (keyQueue.delayed === null) {
      keyQueue.delayed = waiter
      keyQueue.next = delay
    } else if (delay.reason === "cooldown" && delay.at > keyQueue.next.at) keyQueue.next = delay
    // A rate limit may delay only attempts that cost as much
    if (delay.reason === "cooldown") rejectLate(keyQueue)
    this.releaseSlot(waiter)
  }

  /** Removes an attempt with a permit, which keeps its slot. */
  serve(waiter: Waiter): void {
    this.endRequest(waiter)
    this.removeIfEmpty(waiter)
    this.dispatch()
  }

  /** Removes an attempt that was not served, if it is in the queue. */
  remove(waiter: Waiter): void {
    const { keyQueue } = waiter
    const hasSlot = waiter.turn === "requesting"
    if (hasSlot) {
      this.endRequest(waiter)
      // The client is not charged.
      keyQueue.waiters.restore(waiter)
    }
    keyQueue.waiters.remove(waiter)
    if (keyQueue.delayed === waiter) {
      keyQueue.delayed = null
      // The next attempt may cost less, and requests its own permit.
      keyQueue.next = { at: 0, reason: keyQueue.next.reason }
    }
    this.removeIfEmpty(waiter)
    if (hasSlot) this.releaseSlot(waiter)
    else this.dispatch()
  }

  private readonly mayAcquireSlot = (
    { call: { policies }, client: { name, share } }: AdmissionRequest
  ): boolean => this.slots.canAcquire(name, 1, policies.concurrency.limit, share)

  private removeIfEmpty({ key, keyQueue }: Waiter): void {
    const isEmpty = keyQueue.delayed === null && keyQueue.requests === 0 && keyQueue.waiters.size === 0
    if (isEmpty && this.keyQueues.get(key.id) === keyQueue) this.keyQueues.delete(key.id)
  }

  /** Gives slots to the attempts that are next, to request their permits. */
  private dispatch(): void {
    for (;;) {
      const waiter = this.next()
      if (waiter === undefined || !this.tryAcquireSlot(waiter)) return
      const { cost, keyQueue } = waiter
      keyQueue.waiters.serve(waiter)
      keyQueue.requests += 1
      keyQueue.requestedCost += cost
      waiter.turn = "requesting"
      waiter.wake()
    }
  }

  private endRequest(waiter: Waiter): void {
    const { cost, keyQueue } = waiter
    waiter.turn = "queued"
    keyQueue.requests -= 1
    // Without requests there are no rounding errors of fractional costs.
    keyQueue.requestedCost = keyQueue.requests === 0 ? 0 : keyQueue.requestedCost - cost
  }

  /** The rate limit of a key is shared fairly by cost. Between keys, the client with the fewest slots is next. */
  private next(): Waiter | undefined {
    let next: Waiter | undefined
    for (const keyQueue of this.keyQueues.values()) {
      const candidate = mayRequest(keyQueue) ? keyQueue.waiters.next(this.mayAcquireSlot) : undefined
      if (candidate !== undefined && (next === undefined || this.isBefore(candidate, next))) next = candidate
    }
    return next
  }

  private isBefore(one: Waiter, other: Waiter): boolean {
    const difference = this.slotsPerWeight(one) - this.slotsPerWeight(other)
    return difference < 0 || difference === 0 && one.arrival < other.arrival
  }

  private slotsPerWeight(waiter: Waiter): number {
    return this.slots.held(waiter.client.name) / waiter.client.weight
  }
}

/** Whether an additional attempt may request a permit. */
const mayRequest = ({ delayed, requestedCost, requests, unitsLeft }: KeyQueue): boolean =>
  delayed === null && (requests === 0 || requestedCost <= unitsLeft)

/** Rejects the attempts that it will be too late for. Those that request permits learn it from the replies. */
const rejectLate = ({ next, waiters }: KeyQueue): void => {
  for (const waiter of waiters) {
    if (!isTooLate(waiter, next.at, waiter.latestStart)) continue
    waiters.remove(waiter)
    waiter.turn = next
    waiter.wake()
  }
}

/** Whether an attempt would be sent after its latest start, or at the deadline of its call. */
export const isTooLate = (
  { call: { deadline } }: AdmissionRequest,
  at: number,
  latestStart: number
): boolean => at > latestStart || at >= deadline
