/**
 * Races: the limit, the peers and us, side by side in one process or each in its own.
 *
 * Absolute times drift with whatever else the machine does, so contestants take turns (A B C A B C …) and what
 * counts is the ratio of their medians. CPU time is taken, not wall time: waiting costs nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** One way to do the work. */
export interface Contestant {
  readonly name: string
  /** Does the work so many times and gives how many records it got. */
  readonly batch: (times: number) => Effect.Effect<number>
  /** The CPU time that whoever does the work has spent so far, in microseconds; where nothing is said, this process. */
  readonly clock?: Effect.Effect<number>
}

export interface Race {
  readonly title: string
  /** What is done once, as in "a page". */
  readonly unit: string
  /** How many records each contestant must get from one unit; who gets another number did not do the work. */
  readonly records: number
  /** The first one is the limit. */
  readonly contestants: readonly [limit: Contestant, ...Array<Contestant>]
  /** Who would be in the race, and why they are not. */
  readonly absent?: ReadonlyArray<{ readonly name: string; readonly reason: string }>
  /** How long to run where clocks are coarse. */
  readonly effort?: Pick<Measure, "warmUp" | "batch">
  /** Whether the time on the wall is worth showing. */
  readonly showsWall?: boolean
  /** Lines to print below the table. */
  readonly notes?: Effect.Effect<ReadonlyArray<string>>
}

export interface Measure {
  /** Rounds that are counted. */
  readonly runs: number
  /** CPU time, in microseconds, to spend on each contestant before that. */
  readonly warmUp: number
  /** CPU time, in microseconds, that a batch should take. */
  readonly batch: number
  /** CPU time spent so far, in microseconds. */
  readonly clock: Effect.Effect<number>
}

export interface Result {
  readonly name: string
  /** Median CPU time of one unit, in microseconds. */
  readonly cpu: number
  /** Median time of one unit on the wall, in microseconds: of units that go on at once, the time per unit. */
  readonly wall: number
  /** To the limit's median. */
  readonly ratio: number
}

/** All threads of this process, collection of garbage included. */
export const cpuTime: Effect.Effect<number> = Effect.sync(() => {
  const { system, user } = process.cpuUsage()
  return user + system
})

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2
}

/** Warms everybody up, then lets them take turns. */
export const run = (race: Race, measure: Measure): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.gen(function*() {
    const entries = yield* Effect.forEach(
      race.contestants,
      (contestant) =>
        Effect.map(warmUp(race, contestant, measure), (times) => ({
          contestant,
          times,
          taken: new Array<Taken>()
        }))
    )
    for (let round = 0; round < measure.runs; round++) {
      for (const { contestant, taken, times } of entries) {
        taken.push(yield* timed(race, contestant, times, measure))
      }
    }
    const medians = entries.map(({ contestant: { name }, taken, times }) => ({
      name,
      cpu: median(taken.map(({ cpu }) => cpu)) / times,
      wall: median(taken.map(({ wall }) => wall)) / times
    }))
    const limit = medians[0]?.cpu ?? Number.NaN
    return medians.map((taken) => ({ ...taken, ratio: taken.cpu / limit }))
  })

/** The size of a contestant's batch, found while it warms up. */
const warmUp = (race: Race, contestant: Contestant, measure: Measure): Effect.Effect<number> =>
  Effect.gen(function*() {
    let times = 1
    for (let spent = 0; spent < measure.warmUp;) {
      const { cpu } = yield* timed(race, contestant, times, measure)
      spent += cpu
      times = Math.min(Math.ceil(times * measure.batch / Math.max(cpu, 1)), times * 4)
    }
    return times
  })

/** Microseconds. */
interface Taken {
  readonly cpu: number
  readonly wall: number
}

/** The time that a batch takes. */
const timed = (race: Race, { batch, clock, name }: Contestant, times: number, measure: Measure) =>
  Effect.gen(function*() {
    const spent = clock ?? measure.clock
    const [cpu, wall] = [yield* spent, yield* Clock.currentTimeNanos]
    const records = yield* batch(times)
    const taken: Taken = {
      cpu: (yield* spent) - cpu,
      wall: Number((yield* Clock.currentTimeNanos) - wall) / 1000
    }
    if (records === race.records * times) return taken
    return yield* Effect.dieMessage(`${race.title}: ${name} got ${records} records in ${times} times`)
  })
