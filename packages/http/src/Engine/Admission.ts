/**
 * The rate limit stage: no attempt is sent before it is its turn.
 *
 * Attempts with the same key at the same base address stand in one line. Its head waits for a free place among those
 * under way and for the budget to have enough; the others wait behind it. So everybody gets a turn in the order of
 * arrival, and what the budget lets through is sent at once. What a key may spend in a day is taken last.
 */
import { RateLimited } from "@blockquarry/core/QueryError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { firstPause, longestPause } from "../internal/budget.ts"
import { Line, type Restore } from "../internal/line.ts"
import type { RateLimitStoreService, Turn } from "../RateLimitStore.ts"
import { type Call, hintOf, type Judged, type Keyed, type Missed } from "./Call.ts"
import * as Lane from "./Lane.ts"
import type { Meter } from "./Meter.ts"

export interface Admission {
  /**
   * Waits for a turn, then makes the attempt, and tells the others if the service said 429. `refuse` fails where there
   * is no use in waiting: it is asked before, and again when the turn has come.
   */
  readonly around: (
    call: Keyed,
    refuse: Effect.Effect<void, Missed>,
    attempt: Effect.Effect<Judged, Missed>
  ) => Effect.Effect<Judged, Missed>
  /** The same for someone who does not wait: a number says after how many milliseconds it may be their turn. */
  readonly atOnce: (
    call: Keyed,
    refuse: Effect.Effect<void, Missed>,
    attempt: Effect.Effect<Judged, Missed>
  ) => Effect.Effect<Judged | number, Missed>
  /** How many milliseconds someone who comes now would wait in line, as far as is known. */
  readonly expected: (call: Keyed, now: number) => number
}

/** A call that waits to be admitted. */
interface Candidate {
  readonly call: Keyed
  readonly lane: Lane.Lane
  readonly place: Line
  readonly refuse: Effect.Effect<void, Missed>
  readonly restore: Restore
}

export const make = (store: RateLimitStoreService, meter: Meter): Admission => {
  const lanes = new Map<string, Lane.Lane>()
  const places = new Map<string, Line>()

  const laneOf = ({ address }: Keyed): Lane.Lane => {
    const before = lanes.get(address.name)
    if (before !== undefined) return before
    const lane = Lane.make()
    lanes.set(address.name, lane)
    return lane
  }

  const placesOf = ({ policies: { concurrency: { limit } }, ring }: Keyed): Line => {
    const name = `${ring.base} ${limit}`
    const before = places.get(name)
    if (before !== undefined) return before
    const line = new Line(limit)
    places.set(name, line)
    return line
  }

  const around: Admission["around"] = (call, refuse, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const place = placesOf(call)
      return refuse.pipe(
        Effect.zipRight(inLane(call, (lane) => admit({ call, lane, place, refuse, restore }))),
        Effect.flatMap((probe) => sent(call, place, probe, restore(attempt)))
      )
    })

  const atOnce: Admission["atOnce"] = (call, refuse, attempt) =>
    Effect.uninterruptibleMask((restore) => {
      const place = placesOf(call)
      const admitted = inLane(call, (lane) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(
            admitAtOnce({ call, lane, place, refuse, restore }, now),
            (probe) => probe ?? Lane.expectedIn(lane, call, now) - now
          )))
      return refuse.pipe(
        Effect.zipRight(admitted),
        Effect.flatMap((turn): Effect.Effect<Judged | number, Missed> =>
          typeof turn === "number" ? Effect.succeed(turn) : sent(call, place, turn, restore(attempt))
        )
      )
    })

  /** The attempt of someone who has a place and has paid. */
  const sent = (
    call: Keyed,
    place: Line,
    probe: boolean,
    attempt: Effect.Effect<Judged, Missed>
  ): Effect.Effect<Judged, Missed> =>
    meter.paid(call, Lane.costOf(call)).pipe(
      Effect.zipRight(Effect.onExit(attempt, (exit) => tell(call, probe, exit))),
      Effect.ensuring(Effect.sync(() => place.leave()))
    )

  const inLane = <A, E>(call: Keyed, use: (lane: Lane.Lane) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
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
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.flatMap(
        admitAtOnce(one, now),
        (probe) => probe === null ? inLine(one, now) : Effect.succeed(probe)
      ))

  /** The same without waiting; null, and with neither, where that takes its time. */
  const admitAtOnce = (one: Candidate, now: number): Effect.Effect<boolean | null, Missed> => {
    const { lane, place } = one
    // Where nobody waits, nobody is overtaken: the line is only for those whom the budget makes wait.
    if (!lane.turn.open) return Effect.succeed(null)
    if (place.tryEnter()) return take(one)
    lane.next = { at: now, reason: "concurrency" }
    return Effect.succeed(null)
  }

  /** Asks the budget for someone who has a place. Gives the place back, and null where it is too early. */
  const take = ({ call, lane, place, refuse }: Candidate): Effect.Effect<boolean | null, Missed> =>
    refuse.pipe(
      Effect.zipRight(turnOf(call)),
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

  /** What the store says of the rate, and then of the day. */
  const turnOf = (call: Keyed): Effect.Effect<Turn, Missed> => {
    const turn = store.take(call.address.name, Lane.ruleOf(call), Lane.costOf(call), Lane.leaseOf(call))
    const { perDay } = call.address.rateLimit
    return perDay === null
      ? turn
      : Effect.tap(turn, (turn) => turn._tag === "Go" ? spend(call, perDay, turn.probe) : Effect.void)
  }

  const spend = (call: Keyed, limit: number, probe: boolean): Effect.Effect<void, Missed> =>
    Effect.flatMap(store.spend(call.address.name, { limit, period: day }, Lane.costOf(call)), (spent) => {
      if (spent._tag === "Spent") return Effect.void
      // Nothing is sent, so that somebody else may probe.
      const given = probe ? store.settle(call.address.name, false) : Effect.void
      return Effect.zipRight(given, Effect.fail(refused(call, "day", spent.millis)))
    })

  const inLine = (one: Candidate, now: number): Effect.Effect<boolean, Missed> =>
    Effect.suspend(() => {
      const { call, lane, restore } = one
      const { address: { rateLimit }, policies: { concurrency } } = call
      const { reason } = lane.next
      const latest = Math.min(call.deadline, now + Duration.toMillis(rateLimit.maxWait))
      const cost = Lane.costOf(call)
      const expected = Lane.expectedIn(lane, call, now)
      const longest = reason === "concurrency" ? concurrency.maxQueue : rateLimit.maxQueue
      if (isTooLate(call, expected, latest) || Lane.waitingIn(lane) >= longest) {
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
        Effect.tap(() => waitedSince(call, now, lane.next.reason))
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

  const waitedSince = (call: Keyed, before: number, reason: Lane.Reason): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => meter.waited(call, reason, now - before))

  /** What the others learn from an attempt. */
  const tell = (call: Keyed, probe: boolean, exit: Exit.Exit<Judged, Missed>): Effect.Effect<void> => {
    const judged = Exit.isSuccess(exit) ? exit.value : null
    const { name } = call.address
    if (judged?.health === "throttled") {
      const hint = hintOf(judged)
      return Effect.zipRight(noted(call, hint), store.pause(name, hint))
    }
    return probe ? store.settle(name, judged?.health === "works") : Effect.void
  }

  /** Those who come while others wait know of the pause too, although they do not ask the store. */
  const noted = (call: Keyed, hint: number | null): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const lane = lanes.get(call.address.name)
      const at = now + Math.min(hint ?? firstPause, longestPause)
      if (lane !== undefined && at > lane.next.at) lane.next = { at, reason: "pause" }
    })

  return {
    around,
    atOnce,
    expected: (call, now) => {
      const lane = lanes.get(call.address.name)
      return lane === undefined || lane.turn.open ? 0 : Lane.expectedIn(lane, call, now) - now
    }
  }
}

/** A day of UTC, in milliseconds. */
export const day = 24 * 3_600_000

/** A request that would be sent as its call ends is not worth waiting for. */
const isTooLate = ({ deadline }: Call, at: number, latest: number): boolean => at > latest || at >= deadline

const refused = ({ copy, operation }: Call, limit: Lane.Reason | "day", wait: number | null): Missed => ({
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
