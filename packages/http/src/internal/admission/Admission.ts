/**
 * Admission as a decision: whether an attempt may be sent now, with which API key, or what it waits for. It considers circuit
 * breaker, deadline, API keys, concurrency slots and the order of waiting attempts together.
 *
 * `decide` is deterministic: it is told the time and the answers of the store. It changes the state and the attempts in it,
 * and wakes those that can continue. It sends nothing, asks no store, waits for nothing and writes no logs: `AdmissionStage` does.
 *
 * An attempt that is next is given a slot, and asks the store for a permit of the rate limit. Several attempts with the same
 * key do so at the same time, as far as the last permit left units for all of them. An attempt whose permit is delayed waits
 * without a slot, and so do the other attempts with its key. A client without a slot and a key with a delayed permit block no
 * other client and no other key.
 *
 * All times are in milliseconds, by a clock that is never set back.
 */
import { constVoid } from "effect/Function"
import type { CallClient } from "../../gateway/CallContext.ts"
import { FairQueue, type QueuedItem } from "../../gateway/FairQueue.ts"
import { FairShare } from "../../gateway/FairShare.ts"
import * as LruMap from "../../gateway/LruMap.ts"
import type { Consumption, Permit } from "../../RateLimitStore.ts"
import type { AttemptResult, Call, CallKey, CallPlan } from "../call/Call.ts"
import { getOrInsert } from "../Maps.ts"
import { Circuit, type CircuitState } from "./Circuit.ts"
import { KeyStates } from "./KeyStates.ts"

/**
 * - `Go`: ask the store or, with a `grant`, send the request.
 * - `Wait`: decide again when the attempt is woken, or at `until`.
 * - `Reject`: do not send it with this key. `retryAfter` is the time that a new attempt would wait, if known. What the attempt
 *   was granted must be given back. `no_key` means that no key is left, `key_replaced` that the key is no longer used.
 */
export type Decision =
  | { readonly _tag: "Go"; readonly grant: Grant | null }
  | { readonly _tag: "Wait"; readonly until: number }
  | { readonly _tag: "Reject"; readonly reason: RejectReason; readonly retryAfter: number | null }

export type RejectReason = Delay["reason"] | "daily" | "unavailable" | "circuit" | "key_replaced" | "no_key"

/** What the store answers, null where it is unavailable. There is no consumption without a daily quota. */
export interface Answer {
  readonly permit: Permit | null
  readonly consumption: Consumption | "none" | null
}

export interface Grant extends Answer {
  readonly permit: Extract<Permit, { readonly _tag: "Granted" }>
}

/** When an attempt may be sent, as far as known, and what it waits for. */
interface Delay {
  readonly at: number
  readonly reason: "rate_limit" | "cooldown" | "concurrency"
}

/** An attempt on its way through admission. */
export interface Attempt extends QueuedItem {
  /** The part of its call that the decision reads. */
  readonly call: Pick<Call, "deadline"> & Pick<CallPlan, "keyPool" | "keys" | "policies"> & {
    readonly client: CallClient
  }
  readonly client: CallClient
  readonly circuit: Circuit
  readonly queue: Queue
  /** The key that it uses or waits for, and its cost. */
  key: CallKey
  cost: number
  /** The keys that failed, the best result that they had, and the delays of others that the store has stated. */
  outcomes: Outcomes
  best: AttemptResult | null
  /** The answer of the store since the last decision. */
  answer: Answer | null
  grant: Grant | null
  hasSlot: boolean
  place: Place | null
  arrival: number
  /** The state of the circuit breaker in which it is sent. */
  startedIn: CircuitState | null
  /** Called after a change that lets it continue. */
  wake: () => void
}

type Outcomes = ReadonlyMap<CallKey, Delay | "failed">

/** Most attempts have none. */
const noOutcomes: Outcomes = new Map()

export const setOutcome = (attempt: Attempt, outcome: Delay | "failed"): void => {
  attempt.outcomes = new Map(attempt.outcomes).set(attempt.key, outcome)
}

/** The place of an attempt that waits. It keeps its place while it asks the store. */
interface Place {
  readonly lane: Lane
  readonly since: number
  readonly latestStart: number
  /** A lower bound, unless the attempt waits for the rate limit. */
  readonly expectedStart: number
  reason: Delay["reason"]
  /** A delay that is too long for it. */
  tooLong: Delay | null
}

/** The attempts that wait for a key. */
interface Lane {
  /** Those without a slot. */
  readonly waiting: FairQueue<Attempt>
  /** The attempt whose permit is delayed until `next`. While there is one, no other asks for a permit. */
  delayed: Attempt | null
  /** When the next permit may be granted, as far as known. */
  next: Delay
  /** Number of attempts that ask for permits. */
  asking: number
  /** What they cost. */
  askingCost: number
  /** Several attempts ask for permits at the same time only while they cost no more than this, or else most of them would be delayed. */
  unitsLeft: number
}

/** The slots of a tenant, and the attempts that wait for them. */
interface Queue {
  // Policies may have different limits. Each attempt applies its own limit to the slots that all attempts hold.
  readonly slots: FairShare
  readonly lanes: Map<string, Lane>
  arrivals: number
}

/** The state of a base URL. */
export class AdmissionState {
  // By client. Evicts those that were not used for long, of very many tenants.
  readonly circuits = LruMap.make<Circuit>({ maxSize: 10_000 })
  readonly keys = new KeyStates()
  // By tenant. One whose queue is evicted begins with all of its slots.
  private readonly queues = LruMap.make<Queue>({ maxSize: 10_000 })

  /** Begins the admission of an attempt. */
  begin(call: Attempt["call"]): Attempt {
    const [key] = call.keys
    return {
      call,
      client: call.client,
      circuit: getOrInsert(this.circuits, call.client.name, () => new Circuit()),
      queue: getOrInsert(this.queues, call.keyPool.tenant ?? "", () => ({
        slots: new FairShare(),
        lanes: new Map(),
        arrivals: 0
      })),
      key,
      cost: key.cost,
      outcomes: noOutcomes,
      best: null,
      answer: null,
      grant: null,
      hasSlot: false,
      place: null,
      arrival: 0,
      startedIn: null,
      wake: constVoid
    }
  }
}

/** Takes the next decision about an attempt. Until it has left, it holds what the decisions before gave it. */
export const decide = (state: AdmissionState, attempt: Attempt, now: number): Decision => {
  const rejection = receiveAnswer(state, attempt, now)
  if (rejection !== null) return rejection
  const waiting = decideInPlace(attempt, now)
  if (waiting !== null) return waiting
  // Also before it waits, so that none waits in vain.
  const openMillis = attempt.circuit.millisUntilAllowed(now)
  if (openMillis !== null) return reject(attempt, "circuit", openMillis)
  const { grant } = attempt
  if (grant !== null) attempt.startedIn = attempt.circuit.admit(now)
  return attempt.hasSlot ? { _tag: "Go", grant } : chooseKey(state, attempt, now)
}

/** Takes everything from an attempt: its place, its slot and its grant. */
export const leave = (attempt: Attempt): void => {
  const { hasSlot, place } = attempt
  if (place !== null) {
    const { lane } = place
    // The client is not charged.
    if (hasSlot) stopAsking(lane, attempt)
    lane.waiting.remove(attempt)
    // The next attempt may cost less, and asks for its own permit.
    if (lane.delayed === attempt) endDelay(lane)
    leavePlace(attempt)
  }
  attempt.grant = null
  releaseSlot(attempt)
}

/** Lets the attempt that is next ask for a permit, because another delay may apply now. */
export const recheck = ({ key, queue }: Attempt): void => {
  const lane = queue.lanes.get(key.id)
  if (lane === undefined) return
  endDelay(lane)
  lane.unitsLeft = 0
  dispatch(queue)
}

const receiveAnswer = (state: AdmissionState, attempt: Attempt, now: number): Decision | null => {
  const { answer, key, place, queue } = attempt
  if (answer === null) return null
  attempt.answer = null
  const { consumption, permit } = answer
  if (permit === null) return reject(attempt, "unavailable", null)
  if (permit._tag === "Delayed") {
    // At least 1 ms, so that a store cannot cause a busy loop.
    const delay = { at: now + Math.max(1, permit.millis), reason: permit.reason }
    if (place !== null) return returnToPlace(attempt, place, delay, now)
    setOutcome(attempt, delay)
    releaseSlot(attempt)
    return null
  }
  attempt.grant = { permit, consumption }
  const lane = queue.lanes.get(key.id)
  if (lane !== undefined) lane.unitsLeft = permit.remaining - (key.rule.maxCost ?? key.cost)
  if (place !== null) {
    endAsking(place.lane, attempt)
    leavePlace(attempt)
    dispatch(queue)
  }
  if (consumption === null) return reject(attempt, "unavailable", null)
  if (consumption === "none" || consumption._tag === "Consumed") return null
  if (attempt.call.keys.length > 1) state.keys.exhaust(key, now + consumption.millis)
  return reject(attempt, "daily", consumption.millis)
}

/** The permit of an attempt with a slot is delayed: it waits without a slot. */
const returnToPlace = (attempt: Attempt, place: Place, delay: Delay, now: number): Decision | null => {
  const { lane, latestStart } = place
  place.reason = delay.reason
  stopAsking(lane, attempt)
  lane.unitsLeft = 0
  if (lane.delayed === null) {
    lane.delayed = attempt
    lane.next = delay
  } else if (delay.reason === "cooldown" && delay.at > lane.next.at) lane.next = delay
  // A rate limit may delay only attempts that cost as much
  if (delay.reason === "cooldown") wakeLate(lane)
  releaseSlot(attempt)
  return isTooLate(attempt, delay.at, latestStart) ? rejectDelayed(attempt, delay, now) : null
}

/** Decides about an attempt that waits. Null if it may go on. */
const decideInPlace = (attempt: Attempt, now: number): Decision | null => {
  const { key, place } = attempt
  if (place === null) return null
  const { lane, latestStart } = place
  if (lane.delayed !== null && lane.next.at <= now) recheck(attempt)
  if (key.isReplaced()) return reject(attempt, "key_replaced", null)
  if (place.tooLong !== null) return rejectDelayed(attempt, place.tooLong, now)
  if (isTooLate(attempt, now, latestStart) || !attempt.hasSlot && now === latestStart) {
    leave(attempt)
    return rejectDelayed(attempt, lane.next.at > now ? lane.next : { at: now, reason: place.reason }, now)
  }
  if (attempt.hasSlot) return null
  return { _tag: "Wait", until: lane.delayed === attempt ? Math.min(lane.next.at, latestStart) : latestStart }
}

/** Chooses the key with the shortest wait. The attempt goes on if it need not wait, or else waits unless that is too long. */
const chooseKey = (state: AdmissionState, attempt: Attempt, now: number): Decision => {
  const { best, call: { deadline, keys, policies }, client, outcomes, queue } = attempt
  const key = keys.length === 1 ? keys[0] : state.keys.choose(keys, outcomes, best, (key) => {
    const delay = delayOf(attempt, key, now)
    return delay === null ? 0 : expectedStartOf(attempt, key, delay, now) - now
  }, now)
  if (key === undefined) return reject(attempt, "no_key", null)
  attempt.key = key
  attempt.cost = key.cost
  if (key.isReplaced()) return reject(attempt, "key_replaced", null)
  const delay = delayOf(attempt, key, now)
  if (delay === null) {
    acquireSlot(attempt)
    return { _tag: "Go", grant: null }
  }
  const expectedStart = expectedStartOf(attempt, key, delay, now)
  const latestStart = Math.min(deadline, now + key.maxWait)
  const { maxQueue } = delay.reason === "concurrency" ? policies.concurrency : key.rateLimit
  const isFull = (queue.lanes.get(key.id)?.waiting.sizeOf(client) ?? 0) >= maxQueue
  if (isFull || isTooLate(attempt, expectedStart, latestStart)) return rejectDelayed(attempt, delay, now)
  enter(attempt, delay, { since: now, latestStart, expectedStart, reason: delay.reason })
  return decideInPlace(attempt, now) ?? { _tag: "Go", grant: null }
}

/** Gives an attempt a place. It is delayed if it is the first of its key with a delay. */
const enter = (attempt: Attempt, delay: Delay, place: Omit<Place, "lane" | "tooLong">): void => {
  const { key, queue } = attempt
  const isDelayed = delay.at > place.since
  const lane = getOrInsert(queue.lanes, key.id, () => ({
    waiting: new FairQueue<Attempt>(),
    delayed: null,
    next: delay,
    asking: 0,
    askingCost: 0,
    unitsLeft: isDelayed ? 0 : Number.POSITIVE_INFINITY
  }))
  attempt.arrival = queue.arrivals += 1
  attempt.place = { ...place, lane, tooLong: null }
  lane.waiting.add(attempt)
  if (lane.delayed === null && isDelayed) {
    lane.delayed = attempt
    lane.next = delay
  }
  dispatch(queue)
}

/** Gives slots to the attempts that are next, to ask for their permits. */
const dispatch = (queue: Queue): void => {
  for (let next = nextOf(queue); next?.place; next = nextOf(queue)) {
    const { lane } = next.place
    acquireSlot(next)
    lane.waiting.serve(next)
    lane.asking += 1
    lane.askingCost += next.cost
    next.wake()
  }
}

/** The rate limit of a key is shared fairly by cost. Between keys, the client with the fewest slots is next. */
const nextOf = ({ lanes, slots }: Queue): Attempt | undefined => {
  let next: Attempt | undefined
  for (const lane of lanes.values()) {
    const attempt = mayAsk(lane) ? lane.waiting.next(mayAcquireSlot) : undefined
    if (attempt === undefined) continue
    const lead = next === undefined ? 1 : slotsPerWeight(slots, next) - slotsPerWeight(slots, attempt)
    if (next === undefined || lead > 0 || lead === 0 && attempt.arrival < next.arrival) next = attempt
  }
  return next
}

const slotsPerWeight = (slots: FairShare, { client }: Attempt): number =>
  slots.held(client.name) / client.weight

/** Whether an additional attempt may ask for a permit. */
const mayAsk = ({ asking, askingCost, delayed, unitsLeft }: Lane): boolean =>
  delayed === null && (asking === 0 || askingCost <= unitsLeft)

/** The attempt waits again, in its former place. */
const stopAsking = (lane: Lane, attempt: Attempt): void => {
  endAsking(lane, attempt)
  lane.waiting.restore(attempt)
}

const endAsking = (lane: Lane, { cost }: Attempt): void => {
  lane.asking -= 1
  lane.askingCost -= cost
}

const endDelay = (lane: Lane): void => {
  lane.delayed = null
  lane.next = { at: 0, reason: lane.next.reason }
}

const leavePlace = (attempt: Attempt): void => {
  const { key: { id }, place, queue: { lanes } } = attempt
  attempt.place = null
  if (place === null) return
  const { asking, delayed, waiting } = place.lane
  if (delayed === null && asking === 0 && waiting.size === 0 && lanes.get(id) === place.lane) lanes.delete(id)
}

/** Wakes the attempts that it will be too late for. Those that ask for permits learn it from the replies. */
const wakeLate = ({ next, waiting }: Lane): void => {
  for (const attempt of waiting) {
    const { place } = attempt
    if (place === null || !isTooLate(attempt, next.at, place.latestStart)) continue
    waiting.remove(attempt)
    place.tooLong = next
    attempt.wake()
  }
}

/** Returns what an attempt must wait for with a key, and until when, as far as known. Null if it need not wait. */
const delayOf = (attempt: Attempt, key: CallKey, now: number): Delay | null => {
  const known = attempt.outcomes.get(key)
  if (typeof known === "object" && known.at > now) return known
  const lane = attempt.queue.lanes.get(key.id)
  const isBehind = lane !== undefined && (!mayAsk(lane) || lane.waiting.sizeOf(attempt.client) > 0)
  const hasRoom = mayAcquireSlot(attempt)
  if (isBehind && (hasRoom || lane.next.at > now)) return lane.next
  return isBehind || !hasRoom ? { at: now, reason: "concurrency" } : null
}

/** Estimates when a new attempt may be sent with a key. A lower bound, unless it waits for the rate limit. */
const expectedStartOf = (
  { client, queue }: Attempt,
  { cost, id, rule: { burst, limit, window } }: CallKey,
  { at, reason }: Delay,
  now: number
): number => {
  const start = Math.max(now, at)
  const lane = queue.lanes.get(id)
  if (lane === undefined) return start
  const total = lane.waiting.costUntilServed({ client, cost })
  const delayedCost = reason === "rate_limit"
    // `at` includes the delayed attempt.
    ? Math.max(cost, total - (lane.delayed?.cost ?? 0))
    // How much of the burst is available then is unknown.
    : Math.max(0, total - burst)
  return start + delayedCost * window / limit
}

const mayAcquireSlot = ({ call: { policies: { concurrency } }, client, queue }: Attempt): boolean =>
  queue.slots.canAcquire(client.name, 1, concurrency.limit, client.share)

const acquireSlot = (attempt: Attempt): void => {
  const { call: { policies: { concurrency } }, client, queue } = attempt
  attempt.hasSlot = queue.slots.tryAcquire(client.name, 1, concurrency.limit, client.share)
}

/** Releases the slot of an attempt, if it has one, to the next that waits. */
const releaseSlot = (attempt: Attempt): void => {
  const { client, hasSlot, queue } = attempt
  attempt.hasSlot = false
  if (hasSlot) queue.slots.release(client.name, 1)
  dispatch(queue)
}

/** Whether an attempt would be sent after its latest start, or at the deadline of its call. */
const isTooLate = ({ call: { deadline } }: Attempt, at: number, latestStart: number): boolean =>
  at > latestStart || at >= deadline

/** Rejects an attempt. With a grant, it keeps its slot until that is given back. */
const reject = (attempt: Attempt, reason: RejectReason, retryAfter: number | null): Decision => {
  if (attempt.grant === null) leave(attempt)
  return { _tag: "Reject", reason, retryAfter }
}

/** Rejects an attempt, with the time that a new one would wait, which is unknown for a slot. */
const rejectDelayed = (attempt: Attempt, delay: Delay, now: number): Decision => {
  leave(attempt)
  const wait = expectedStartOf(attempt, attempt.key, delay, now) - now
  return reject(attempt, delay.reason, delay.reason === "concurrency" || wait <= 0 ? null : wait)
}
