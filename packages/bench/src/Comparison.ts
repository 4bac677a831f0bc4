/**
 * Races: the limit, the peers and us, side by side in one process or each in its own.
 *
 * Absolute times drift with whatever else the machine does, so contestants take turns (A B C A B C …) and what
 * counts is the ratio of their medians. CPU time is taken, not wall time: waiting costs nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** One way to do the work. */
export interface Subject {
  readonly name: string
  /** Does the work so many times and gives how many records it got. */
  readonly batch: (times: number) => Effect.Effect<number>
  /** The CPU time that whoever does the work has spent so far, in microseconds; where nothing is said, this process. */
  readonly clock?: Effect.Effect<number>
}

export interface Comparison {
  readonly title: string
  /** What is done once, as in "a page". */
  readonly unit: string
  /** How many records each contestant must get from one unit; who gets another number did not do the work. */
  readonly records: number
  /** The first one is the limit. */
  readonly subjects: readonly [limit: Subject, ...Array<Subject>]
  /** Who would be in the race, and why they are not. */
  readonly skipped?: ReadonlyArray<{ readonly name: string; readonly reason: string }>
  /** How long to run where clocks are coarse. */
  readonly measureOptions?: Pick<MeasureOptions, "warmUp" | "batch">
  /** Whether the time on the wall is worth showing. */
  readonly showsWallTime?: boolean
  /** Lines to print below the table. */
  readonly notes?: Effect.Effect<ReadonlyArray<string>>
}

export interface MeasureOptions {
  /** Rounds that are counted. */
  readonly rounds: number
  /** CPU time, in microseconds, to spend on each contestant before that. */
  readonly warmUp: number
  /** CPU time, in microseconds, that a batch should take. */
  readonly batch: number
  /** CPU time spent so far, in microseconds. */
  readonly clock: Effect.Effect<number>
}

export interface SubjectResult {
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
export const runComparison = (
  comparison: Comparison,
  measure: MeasureOptions
): Effect.Effect<ReadonlyArray<SubjectResult>> =>
  Effect.gen(function*() {
    const prepared = yield* Effect.forEach(
      comparison.subjects,
      (contestant) =>
        Effect.map(warmUpSubject(comparison, contestant, measure), (times) => ({
          contestant,
          times,
          timings: new Array<Timing>()
        }))
    )
    for (let round = 0; round < measure.rounds; round++) {
      for (const { contestant, timings: taken, times } of prepared) {
        taken.push(yield* measureBatch(comparison, contestant, times, measure))
      }
    }
    const medians = prepared.map(({ contestant: { name }, timings: taken, times }) => ({
      name,
      cpu: median(taken.map(({ cpu }) => cpu)) / times,
      wall: median(taken.map(({ wall }) => wall)) / times
    }))
    const limit = medians[0]?.cpu ?? Number.NaN
    return medians.map((timings) => ({ ...timings, ratio: timings.cpu / limit }))
  })

/** The size of a contestant's batch, found while it warms up. */
const warmUpSubject = (
  comparison: Comparison,
  subject: Subject,
  measure: MeasureOptions
): Effect.Effect<number> =>
  Effect.gen(function*() {
    let iterations = 1
    for (let spent = 0; spent < measure.warmUp;) {
      const { cpu } = yield* measureBatch(comparison, subject, iterations, measure)
      spent += cpu
      iterations = Math.min(Math.ceil(iterations * measure.batch / Math.max(cpu, 1)), iterations * 4)
    }
    return iterations
  })

/** Microseconds. */
interface Timing {
  readonly cpu: number
  readonly wall: number
}

/** The time that a batch takes. */
const measureBatch = (
  comparison: Comparison,
  { batch, clock, name }: Subject,
  iterations: number,
  measure: MeasureOptions
) =>
  Effect.gen(function*() {
    const cpuClock = clock ?? measure.clock
    const [cpu, wall] = [yield* cpuClock, yield* Clock.currentTimeNanos]
    const records = yield* batch(iterations)
    const timing: Timing = {
      cpu: (yield* cpuClock) - cpu,
      wall: Number((yield* Clock.currentTimeNanos) - wall) / 1000
    }
    if (records === comparison.records * iterations) return timing
    return yield* Effect.dieMessage(
      `${comparison.title}: ${name} got ${records} records in ${iterations} times`
    )
  })
