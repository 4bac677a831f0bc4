/**
 * The rate limit stage: no attempt is sent before it is its turn.
 *
 * Attempts with the same key at the same base address stand in one line. Its head waits for a free place among those
 * under way and for the budget to have enough; the others wait behind it. So everybody gets a turn in the order of
 * arrival, and what the budget lets through is sent at once.
 */
import { dearest } from "@blockquarry/core/Operation"
import { RateLimited } from "@blockquarry/core/QueryError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { firstPause, longestPause } from "../internal/budget.ts"
import { Line, type Restore } from "../internal/line.ts"
import type { RateLimitStoreService, Rule } from "../RateLimitStore.ts"
import type { Call, Judged, Missed } from "./Call.ts"
import type { Meter } from "./Meter.ts"

export interface Admission {
  /**
   * Waits for a turn, then makes the attempt, and tells the others if the service said 429. `refuse` fails where there
   * is no use in waiting: it is asked before, and again when the turn has come.
   */
  readonly around: (
    call: Call,
    refuse: Effect.Effect<void, Missed>,
    attempt: Effect.Effect<Judged, Missed>
  ) => Effect.Effect<Judged, Missed>
}

/** The line of one key at one base address. */
interface Lane {
  readonly turn: Line
  /** Who is being admitted: a line in which there is nobody is forgotten. */
  present: number
  /** Units that those who wait behind the head will take. */
  behind: number
  /** When the head may go, as far as is known, and what it waits for. */
  next: { readonly at: number; readonly reason: Reason }
}

type Reason = "rate" | "pause" | "concurrency"

/** A call that waits to be admitted. */
interface Candidate {
  readonly call: Call
  readonly lane: Lane
  readonly place: Line
  readonly refuse: Effect.Effect<void, Missed>
  readonly restore: Restore
}

export const make = (store: RateLimitStoreService, meter: Meter): Admission => {
  const lanes = new Map<string, Lane>()
  const places = new Map<string, Line>()

  const laneOf = ({ address }: Call): Lane => {
    const before = lanes.get(address.name)
    if (before !== undefined) return before
    const lane: Lane = { turn: new Line(1), present: 0, behind: 0, next: { at: 0, reason: "rate" } }
    lanes.set(address.name, lane)
    return lane
  }

  const placesOf = ({ address, policies: { concurrency: { limit } } }: Call): Line => {
    const name = `${address.base} ${limit}`
    const before = places.get(name)
    if (before !== undefined) return before
    const line = new Line(limit)
    places.set(name, line)
    return line
  }

  const around: Admission["around"] = (call, refuse, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const place = placesOf(call)
      const admitted = refuse.pipe(
        Effect.zipRight(inLane(call, (lane) => admit({ call, lane, place, refuse, restore }))),
        Effect.tap(() => meter.paid(call.operation, costOf(call)))
      )
      return Effect.flatMap(admitted, (probe) =>
        restore(attempt).pipe(
          Effect.onExit((exit) => tell(call, probe, exit)),
          Effect.ensuring(Effect.sync(() => place.leave()))
        ))
    })

  const inLane = <A, E>(call: Call, use: (lane: Lane) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const lane = laneOf(call)
      lane.present += 1
      return Effect.ensuring(
        use(lane),
        Effect.sync(() => {
          lane.present -= 1
          if (lane.present === 0) lanes.delete(call.address.name)
        })
      )
    })

  /** Ends with a place taken and the cost paid, or fails with neither. True for a probe. */
  const admit = (one: Candidate): Effect.Effect<boolean, Missed> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { lane, place } = one
      // Where nobody waits, nobody is overtaken: the line is only for those whom the budget makes wait.
      if (!lane.turn.open) return inLine(one, now)
      if (!place.tryEnter()) {
        lane.next = { at: now, reason: "concurrency" }
        return inLine(one, now)
      }
      return Effect.flatMap(take(one), (probe) => probe === null ? inLine(one, now) : Effect.succeed(probe))
    })

  /** Asks the budget for someone who has a place. Gives the place back, and null where it is too early. */
  const take = ({ call, lane, place, refuse }: Candidate): Effect.Effect<boolean | null, Missed> =>
    refuse.pipe(
      Effect.zipRight(store.take(call.address.name, ruleOf(call), costOf(call), leaseOf(call))),
      Effect.onError(() => Effect.sync(() => place.leave())),
      Effect.flatMap((turn) => {
        if (turn._tag === "Go") return Effect.succeed(turn.probe)
        place.leave()
        return Effect.map(Clock.currentTimeMillis, (now) => {
          // Whatever a store says, nobody asks it without end.
          const millis = turn.millis > 0 ? turn.millis : 1
          lane.next = { at: now + millis, reason: turn.reason }
          return null
        })
      })
    )

  const inLine = (one: Candidate, now: number): Effect.Effect<boolean, Missed> =>
    Effect.suspend(() => {
      const { call, lane, restore } = one
      const { concurrency, rateLimit } = call.policies
      const { at, reason } = lane.next
      const latest = Math.min(call.deadline, now + Duration.toMillis(rateLimit.maxWait))
      const cost = costOf(call)
      const waiting = lane.turn.open ? 0 : lane.turn.waiting + 1
      // That of the head is in `at`; and what there will be after a pause, or once a place is free, nobody knows.
      const before = waiting === 0 || reason !== "rate" ? 0 : lane.behind + cost
      const expected = Math.max(now, at) + before * Duration.toMillis(rateLimit.window) / rateLimit.limit
      const longest = reason === "concurrency" ? concurrency.maxQueue : rateLimit.maxQueue
      if (isTooLate(call, expected, latest) || waiting >= longest) {
        return Effect.fail(refused(call, reason, reason === "concurrency" ? null : expected - now))
      }
      lane.behind += cost
      return lane.turn.enter(latest - now, restore).pipe(
        Effect.ensuring(Effect.sync(() => {
          lane.behind -= cost
        })),
        Effect.flatMap((entered) =>
          entered
            ? asHead(one, latest).pipe(
              // The next one may be cheaper, and asks for itself.
              Effect.onError(() =>
                Effect.sync(() => {
                  lane.next = { at: 0, reason: lane.next.reason }
                })
              ),
              Effect.ensuring(Effect.sync(() => lane.turn.leave()))
            )
            : Effect.fail(refused(call, lane.next.reason, null))
        ),
        Effect.tap(() => waitedSince(now, lane.next.reason))
      )
    })

  /** The head of the line: a place, then the budget; without the place while the budget makes it wait. */
  const asHead = (one: Candidate, latest: number): Effect.Effect<boolean, Missed> =>
    Effect.gen(function*() {
      const { call, lane, place, restore } = one
      for (;;) {
        const before = yield* Clock.currentTimeMillis
        const { at, reason } = lane.next
        if (isTooLate(call, Math.max(at, before), latest)) {
          const wait = reason === "concurrency" || at <= before ? null : at - before
          return yield* Effect.fail(refused(call, reason, wait))
        }
        if (at > before) yield* restore(Effect.sleep(at - before))
        if (!place.tryEnter()) {
          const now = yield* Clock.currentTimeMillis
          lane.next = { at: now, reason: "concurrency" }
          if (!(yield* place.enter(latest - now, restore))) {
            return yield* Effect.fail(refused(call, "concurrency", null))
          }
        }
        const probe = yield* take(one)
        if (probe !== null) return probe
      }
    })

  const waitedSince = (before: number, reason: Reason): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => meter.waited(reason, now - before))

  /** What the others learn from an attempt. */
  const tell = (call: Call, probe: boolean, exit: Exit.Exit<Judged, Missed>): Effect.Effect<void> => {
    const judged = Exit.isSuccess(exit) ? exit.value : null
    const { name } = call.address
    if (judged?.health === "throttled") {
      const hint = hintOf(judged)
      return Effect.zipRight(noted(call, hint), store.pause(name, hint))
    }
    return probe ? store.settle(name, judged?.health === "works") : Effect.void
  }

  /** Those who come while others wait know of the pause too, although they do not ask the store. */
  const noted = (call: Call, hint: number | null): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const lane = lanes.get(call.address.name)
      const at = now + Math.min(hint ?? firstPause, longestPause)
      if (lane !== undefined && at > lane.next.at) lane.next = { at, reason: "pause" }
    })

  return { around }
}

/** A request that would be sent as its call ends is not worth waiting for. */
const isTooLate = ({ deadline }: Call, at: number, latest: number): boolean => at > latest || at >= deadline

const costOf = ({ operation, policies: { rateLimit: { cost } } }: Call): number => {
  if (typeof cost === "number") return cost
  const costs: Readonly<Record<string, number | undefined>> = cost
  return costs[operation.id] ?? operation.cost
}

const ruleOf = ({ policies: { rateLimit } }: Call): Rule => ({
  limit: rateLimit.limit,
  window: Duration.toMillis(rateLimit.window),
  burst: rateLimit.burst,
  dearest: typeof rateLimit.cost === "number"
    ? rateLimit.cost
    : Math.max(dearest, ...Object.values(rateLimit.cost))
})

/** How long a probe may be under way: its attempt, and the time to tell how it went before another one goes. */
const leaseOf = ({ policies: { timeouts } }: Call): number =>
  Math.min(Duration.toMillis(timeouts.attempt), longestLease) + toTell

const toTell = 1000

const longestLease = 60_000

/** How long the service wants to be left alone; null where it does not say. */
const hintOf = ({ verdict }: Judged): number | null => {
  const hint = verdict._tag === "Whole" ? null : verdict.again?.retryAfter ?? null
  const millis = hint === null ? 0 : Duration.toMillis(hint)
  return millis > 0 ? millis : null
}

const refused = ({ copy, operation }: Call, limit: Reason, wait: number | null): Missed => ({
  error: new RateLimited({
    operation: operation.id,
    request: copy,
    status: null,
    detail: null,
    body: "",
    limit,
    retryAfter: wait === null ? null : Duration.millis(Math.ceil(wait))
  }),
  again: null,
  health: "unsent"
})
