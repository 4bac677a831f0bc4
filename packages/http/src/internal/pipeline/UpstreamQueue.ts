/**
 * The queue of attempts at one base URL. It considers concurrency slots and API keys together.
 *
 * Of the attempts with the same key, one is the leader: it holds a slot while it requests a permit of the rate limit, and
 * none while the permit is delayed. The other attempts wait until there is no leader. A client without a slot and a key
 * with a delayed permit block no other client and no other key.
 */
import * as Duration from "effect/Duration"
import type { CallWithKey } from "./Call.ts"
import type { ClientLoad } from "./EngineHealth.ts"
import { FairQueue, type QueueItem } from "./FairQueue.ts"
import * as FairShare from "./FairShare.ts"

/** Why an attempt waits. */
export type AdmissionWaitReason = "rate_limit" | "cooldown" | "concurrency"

/** When an attempt may be sent, as far as known, and what it waits for. */
export interface Delay {
  readonly at: number
  readonly reason: AdmissionWaitReason
}

/** An attempt that requests admission. */
export interface AdmissionRequest extends QueueItem {
  readonly call: CallWithKey
}

/** An attempt that waits for admission. */
export interface Waiter extends AdmissionRequest {
  readonly keyQueue: KeyQueue
  /** The latest time at which the attempt may be sent. */
  readonly latestStart: number
  /** Position among all attempts of the queue. */
  readonly arrival: number
  /** Whether it is the leader and holds a slot, to request a permit. */
  hasSlot: boolean
  /** When its key is available again, if that is too late. */
  availableAt: number | null
  /** Resumes the fiber after a change of the other fields. */
  wake: () => void
}

/** The attempts with one API key. */
interface KeyQueue {
  readonly waiters: FairQueue<Waiter>
  leader: Waiter | null
  /** What is known about the next permit. */
  next: Delay
}

export class UpstreamQueue {
  /** Keys with waiting attempts. */
  private readonly keyQueues = new Map<string, KeyQueue>()
  // Policies with different limits have slots of their own.
  private readonly slotsByLimit = new Map<number, FairShare.FairShare>()
  private arrivals = 0

  /** Acquires a slot if the client may have one. */
  tryAcquireSlot(request: AdmissionRequest): boolean {
    return this.slotsOf(request).tryAcquire(request.client.name, 1, request.client.share)
  }

  /** Releases a slot to the next waiting attempt. */
  releaseSlot(request: AdmissionRequest): void {
    this.slotsOf(request).release(request.client.name, 1)
    this.dispatch()
  }

  /** Whether a new attempt must wait behind others. */
  mustWait({ call: { key }, client }: AdmissionRequest): boolean {
    const keyQueue = this.keyQueues.get(key.id)
    return keyQueue !== undefined && (keyQueue.leader !== null || keyQueue.waiters.sizeOf(client) > 0)
  }

  /** Returns what a new attempt that must wait waits for, and until when, as far as known. */
  delayOf(request: AdmissionRequest, now: number): Delay {
    const next = this.keyQueues.get(request.call.key.id)?.next
    return next !== undefined && (next.at > now || this.mayAcquireSlot(request))
      ? next
      : { at: now, reason: "concurrency" }
  }

  /** Estimates when a new attempt may be sent. A lower bound, unless it waits for the rate limit. */
  expectedStart(request: AdmissionRequest, { at, reason }: Delay, now: number): number {
    const start = Math.max(now, at)
    const { id, rateLimit: { burst, limit, window } } = request.call.key
    const keyQueue = this.keyQueues.get(id)
    if (keyQueue === undefined) return start
    const cost = keyQueue.waiters.costUntilServed(request)
    const delayedCost = reason === "rate_limit"
      // `at` includes the leader.
      ? Math.max(request.cost, cost - (keyQueue.leader?.cost ?? 0))
      // How much of the burst is available then is unknown.
      : Math.max(0, cost - burst)
    return start + delayedCost * Duration.toMillis(window) / limit
  }

  /** Number of waiting attempts with the same client and API key. */
  sizeOf({ call: { key }, client }: AdmissionRequest): number {
    return this.keyQueues.get(key.id)?.waiters.sizeOf(client) ?? 0
  }

  /** Adds an attempt. If no other does, it waits as the leader for the permit that it has requested. */
  add({ call, client, cost }: AdmissionRequest, latestStart: number, delay: Delay): Waiter {
    const keyQueue = this.keyQueues.get(call.key.id) ??
      { waiters: new FairQueue(), leader: null, next: delay }
    this.keyQueues.set(call.key.id, keyQueue)
    const waiter: Waiter = {
      call,
      client,
      cost,
      keyQueue,
      latestStart,
      arrival: this.arrivals += 1,
      hasSlot: false,
      availableAt: null,
      wake: () => {}
    }
    keyQueue.waiters.add(waiter)
    if (keyQueue.leader === null && delay.reason !== "concurrency") {
      keyQueue.leader = waiter
      keyQueue.next = delay
    }
    this.dispatch()
    return waiter
  }

  /** Returns when an attempt must act that is not woken. */
  wakeTime(waiter: Waiter): number {
    const { keyQueue: { leader, next }, latestStart } = waiter
    return leader === waiter ? Math.min(next.at, latestStart) : latestStart
  }

  /** After the delay of a leader, lets the attempt that is next request a permit. A leader with a slot has no delay. */
  endDelay(waiter: Waiter, now: number): void {
    const { keyQueue } = waiter
    if (keyQueue.leader !== waiter || waiter.hasSlot || keyQueue.next.at > now) return
    keyQueue.leader = null
    this.dispatch()
  }

  /** The permit of a leader is delayed: it waits without a slot. */
  delayLeader(waiter: Waiter, delay: Delay): void {
    waiter.keyQueue.next = delay
    waiter.hasSlot = false
    if (delay.reason === "cooldown") rejectLate(waiter.keyQueue)
    this.releaseSlot(waiter)
  }

  /** Records a cooldown of an API key. */
  startCooldown(keyId: string, at: number): void {
    const keyQueue = this.keyQueues.get(keyId)
    if (keyQueue === undefined || at <= keyQueue.next.at) return
    keyQueue.next = { at, reason: "cooldown" }
    rejectLate(keyQueue)
  }

  /** Removes a leader with a permit, which keeps its slot. */
  serve(waiter: Waiter): void {
    const { keyQueue } = waiter
    keyQueue.waiters.serve(waiter)
    keyQueue.leader = null
    waiter.hasSlot = false
    this.removeIfEmpty(waiter)
    this.dispatch()
  }

  /** Removes an attempt that was not served, if it is in the queue. */
  remove(waiter: Waiter): void {
    const { keyQueue } = waiter
    keyQueue.waiters.remove(waiter)
    if (keyQueue.leader === waiter) {
      keyQueue.leader = null
      // The next attempt may cost less, and requests its own permit.
      keyQueue.next = { at: 0, reason: keyQueue.next.reason }
    }
    this.removeIfEmpty(waiter)
    if (waiter.hasSlot) {
      waiter.hasSlot = false
      this.releaseSlot(waiter)
    } else this.dispatch()
  }

  /** Returns the clients with attempts in flight or in the queue. */
  loads(): ReadonlyMap<string, Pick<ClientLoad, "inFlight" | "queued">> {
    const loads = new Map<string, { inFlight: number; queued: number }>()
    const add = (client: string, field: "inFlight" | "queued", amount: number) => {
      if (amount === 0) return
      const load = loads.get(client) ?? { inFlight: 0, queued: 0 }
      load[field] += amount
      loads.set(client, load)
    }
    for (const { holders } of this.slotsByLimit.values()) {
      for (const [client, slots] of holders) add(client, "inFlight", slots)
    }
    for (const { waiters } of this.keyQueues.values()) {
      for (const [client, size] of waiters.sizes()) add(client, "queued", size)
    }
    return loads
  }

  private slotsOf({ call: { policies: { concurrency: { limit } } } }: AdmissionRequest): FairShare.FairShare {
    const existing = this.slotsByLimit.get(limit)
    if (existing !== undefined) return existing
    const created = FairShare.make({ capacity: limit })
    this.slotsByLimit.set(limit, created)
    return created
  }

  private readonly mayAcquireSlot = (request: AdmissionRequest): boolean =>
    this.slotsOf(request).canAcquire(request.client.name, 1, request.client.share)

  private removeIfEmpty({ call: { key }, keyQueue }: Waiter): void {
    const isEmpty = keyQueue.leader === null && keyQueue.waiters.size === 0
    if (isEmpty && this.keyQueues.get(key.id) === keyQueue) this.keyQueues.delete(key.id)
  }

  /** Gives slots to the attempts that are next, to request their permits. */
  private dispatch(): void {
    for (;;) {
      const waiter = this.next()
      if (waiter === undefined || !this.tryAcquireSlot(waiter)) return
      waiter.keyQueue.leader = waiter
      waiter.hasSlot = true
      waiter.wake()
    }
  }

  /** The rate limit of a key is shared fairly by cost. Between keys, the client with the fewest slots is next. */
  private next(): Waiter | undefined {
    let next: Waiter | undefined
    for (const { leader, waiters } of this.keyQueues.values()) {
      const candidate = leader === null ? waiters.next(this.mayAcquireSlot) : undefined
      if (candidate !== undefined && (next === undefined || this.isBefore(candidate, next))) next = candidate
    }
    return next
  }

  private isBefore(one: Waiter, other: Waiter): boolean {
    const difference = this.slotsPerWeight(one) - this.slotsPerWeight(other)
    return difference < 0 || difference === 0 && one.arrival < other.arrival
  }

  private slotsPerWeight(waiter: Waiter): number {
    return this.slotsOf(waiter).held(waiter.client.name) / waiter.client.weight
  }
}

/** Rejects the attempts that it will be too late for. A leader that requests a permit learns it from the reply. */
const rejectLate = ({ next: { at }, waiters }: KeyQueue): void => {
  for (const waiter of waiters) {
    if (waiter.hasSlot || !isTooLate(waiter, at, waiter.latestStart)) continue
    waiters.remove(waiter)
    waiter.availableAt = at
    waiter.wake()
  }
}

/** Whether an attempt would be sent after its latest start, or at the deadline of its call. */
export const isTooLate = (
  { call: { deadline } }: AdmissionRequest,
  at: number,
  latestStart: number
): boolean => at > latestStart || at >= deadline
