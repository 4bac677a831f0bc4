/**
 * The keys stage: which of several keys an attempt goes by.
 *
 * Keys take turns; one in whose line there is nobody comes before one that would have to be waited for. A key that the
 * service refuses, calls used up or throttles rests at that base address: for a second, twice as long each time that it
 * says so again, for a minute at most. The attempt goes on with another one, a change too, since what was refused took
 * no effect; each key has one try. The last key that does not rest is not put to rest because of a refusal: if not even
 * that one works, it may be the question that is refused.
 *
 * What is known here is known to this process.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import { LRUCache } from "lru-cache"
import type { KeyReport } from "../Report.ts"
import type { Address } from "../Target.ts"
import type { Admission } from "./Admission.ts"
import { type Call, healthOf, hintOf, type Judged, type Keyed, type Missed, type Outcome } from "./Call.ts"
import type { Meter } from "./Meter.ts"

export interface Keys {
  /** Makes an attempt with one key after another, until one is not refused. `refuse` is as in `Admission`. */
  readonly around: (
    call: Call,
    refuse: Effect.Effect<void, Missed>,
    attempt: (call: Keyed) => Effect.Effect<Judged, Missed>
  ) => Effect.Effect<Judged, Missed>
  /** The keys that were used at a base address. */
  readonly report: (base: string, now: number) => ReadonlyArray<KeyReport>
}

/** What is known of a key at a base address. */
interface Known {
  readonly label: string
  readonly base: string
  /** What the service had against it last, if anything, and how often in a row it was put to rest for that. */
  reason: Reason | null
  rests: number
  /** It rests until then. */
  until: number
  /** By our own reckoning it has nothing left to spend until then. */
  spentUntil: number
  /** The turn it had last. */
  turn: number
}

type Reason = NonNullable<KeyReport["reason"]>

/** The rest where the service does not ask for more, the first time. */
const firstRest = 1000

const longestRest = 60_000

export const make = (admission: Admission, meter: Meter): Keys => {
  // One that nobody has used for longest is forgotten where there are very many.
  const known = new LRUCache<string, Known>({ max: 10_000 })
  let turn = 0

  const knownOf = ({ base, label, name }: Address): Known => {
    const before = known.get(name)
    if (before !== undefined) return before
    const unused = { label, base, reason: null, rests: 0, until: 0, spentUntil: 0, turn: 0 }
    known.set(name, unused)
    return unused
  }

  const around: Keys["around"] = (call, refuse, attempt) => {
    const [address, another] = call.ring.addresses
    if (another !== undefined) return withSeveral(call, refuse, attempt)
    const keyed = { ...call, address }
    return Effect.tap(admission.around(keyed, refuse, attempt(keyed)), (judged) => heard(keyed, judged))
  }

  const withSeveral: Keys["around"] = (call, refuse, attempt) =>
    Effect.gen(function*() {
      const tried = new Set<Address>()
      const busy = new Map<Address, number>()
      let best: Outcome | null = null
      for (;;) {
        const left = choices(call, tried, best, yield* Clock.currentTimeMillis)
        const free = left.find((address) => !busy.has(address))
        const address = free ?? soonest(left, busy)
        if (address === undefined) return yield* best ?? Effect.dieMessage("a ring has at least one key")
        const keyed = { ...call, address }
        knownOf(address).turn = turn += 1
        // Nobody waits for one key before all others were asked.
        const waits = free === undefined || left.length === 1
        const outcome = yield* Effect.match(
          (waits ? admission.around : admission.atOnce)(keyed, refuse, attempt(keyed)),
          {
            onFailure: (missed): Outcome | number => Either.left(missed),
            onSuccess: (judged) => typeof judged === "number" ? judged : Either.right(judged)
          }
        )
        if (typeof outcome === "number") {
          busy.set(address, outcome)
          continue
        }
        tried.add(address)
        yield* Either.match(outcome, {
          onLeft: (missed) => unsent(keyed, missed),
          onRight: (judged) => heard(keyed, judged)
        })
        best = best === null ? outcome : better(best, outcome)
        if (!isOfTheKey(outcome)) return yield* best
      }
    })

  /** Those that may be tried, in the order in which they should be. */
  const choices = (
    call: Call,
    tried: ReadonlySet<Address>,
    best: Outcome | null,
    now: number
  ): ReadonlyArray<Address> => {
    const left = call.ring.addresses.filter((address) => !tried.has(address))
    const awake = left.filter((address) => knownOf(address).until <= now)
    if (awake.length === 0) {
      return best !== null && worth(best) === throttled
        ? []
        : inPause(left, best === null)
    }
    return awake
      .map((address) => ({
        address,
        wait: knownOf(address).spentUntil > now ? longestRest : admission.expected({ ...call, address }, now),
        turn: knownOf(address).turn
      }))
      .toSorted((one, other) => one.wait - other.wait || one.turn - other.turn)
      .map(({ address }) => address)
  }

  /**
   * Of those that rest the one to wait for, which the pause of a 429 is there for; one that was refused is left alone,
   * unless there is no other.
   */
  const inPause = (resting: ReadonlyArray<Address>, needed: boolean): ReadonlyArray<Address> => {
    const paused = resting.filter((address) => knownOf(address).reason === "throttled")
    return (needed && paused.length === 0 ? resting : paused)
      .toSorted((one, other) => knownOf(one).until - knownOf(other).until)
      .slice(0, 1)
  }

  /** Takes note of what an answer says of the key. */
  const heard = (call: Keyed, judged: Judged): Effect.Effect<void> => {
    const one = knownOf(call.address)
    const reason = reasonOf(judged)
    if (reason === null && (one.reason === null || judged.health !== "works")) return Effect.void
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (reason !== null) return rest(call, reason, Math.min(hintOf(judged) ?? 0, longestRest), now)
      // What was sent before it went to rest says nothing about now.
      if (now < one.until) return Effect.void
      one.reason = null
      one.rests = 0
      return Effect.void
    })
  }

  const rest = (call: Keyed, reason: Reason, wanted: number, now: number): Effect.Effect<void> => {
    const { address, ring } = call
    const one = knownOf(address)
    if (now < one.until) {
      // Of many answers to requests that went out together the first one counts; the others may lengthen the rest.
      one.until = Math.max(one.until, now + wanted)
      return Effect.void
    }
    one.reason = reason
    const isLast = ring.addresses.every((other) => other === address || now < knownOf(other).until)
    if (isLast && reason !== "throttled") return Effect.void
    const length = Math.max(wanted, Math.min(firstRest * 2 ** Math.min(one.rests, 10), longestRest))
    one.rests += 1
    one.until = now + length
    return ring.addresses.length === 1
      ? Effect.void
      : meter.debug("key rests", () => ({
        key: address.label,
        reason,
        for: Duration.format(Duration.millis(length))
      }))
  }

  /** Where the key has nothing left to spend today, the others come first. */
  const unsent = ({ address }: Keyed, { error }: Missed): Effect.Effect<void> =>
    error._tag === "RateLimited" && error.limit === "day"
      ? Effect.map(Clock.currentTimeMillis, (now) => {
        knownOf(address).spentUntil = now +
          (error.retryAfter === null ? 0 : Duration.toMillis(error.retryAfter))
      })
      : Effect.void

  return {
    around,
    report: (base, now) =>
      [...known.values()]
        .filter((one) => one.base === base)
        .map(({ label, reason, until }): KeyReport =>
          now < until
            ? { label, state: "resting", reason, until }
            : { label, state: "ready", reason, until: null }
        )
        .toSorted(byLabel)
  }
}

const byLabel = Order.mapInput(Order.string, ({ label }: KeyReport) => label)

/** Of those that would have to be waited for the one that is first. */
const soonest = (
  left: ReadonlyArray<Address>,
  busy: ReadonlyMap<Address, number>
): Address | undefined => {
  const wait = (address: Address) => busy.get(address) ?? 0
  return left.toSorted((one, other) => wait(one) - wait(other))[0]
}

/** What an answer has against the key. */
const reasonOf = ({ health, verdict }: Judged): Reason | null => {
  if (health === "throttled") return "throttled"
  if (verdict._tag !== "Refused") return null
  switch (verdict.error._tag) {
    case "KeyRefused":
      return "refused"
    case "PlanExhausted":
      return "exhausted"
    default:
      return null
  }
}

/** Whether another key may fare better: this one was refused, or our own limits for it left nothing to send. */
const isOfTheKey: (outcome: Outcome) => boolean = Either.match({
  onLeft: ({ error, health }) => health === "unsent" && error._tag === "RateLimited",
  onRight: (judged) => reasonOf(judged) !== null
})

/**
 * Of what came of two keys that which helps the caller most. What can be had by waiting is worth more than a refusal,
 * and what the service said more than what we did not send.
 */
const better = (before: Outcome, latest: Outcome): Outcome => {
  if (!isOfTheKey(latest)) return healthOf(latest) === "unsent" ? before : latest
  const [worthBefore, worthLatest] = [worth(before), worth(latest)]
  return worthLatest > worthBefore || worthLatest === worthBefore && waitFor(latest) <= waitFor(before)
    ? latest
    : before
}

const throttled = 2

const worth: (outcome: Outcome) => number = Either.match({
  onLeft: () => 1,
  onRight: ({ health }) => health === "throttled" ? throttled : 0
})

const waitFor: (outcome: Outcome) => number = Either.match({
  onLeft: ({ error }) =>
    error._tag === "RateLimited" && error.retryAfter !== null ? Duration.toMillis(error.retryAfter) : 0,
  onRight: (judged) => hintOf(judged) ?? 0
})
