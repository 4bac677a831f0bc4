/**
 * Comparisons of a baseline, alternatives and Blockquarry, in one process or each in its own process.
 *
 * Absolute times vary with the load of the machine, so subjects run interleaved (A B C A B C …) and the result is the
 * ratio of their medians. The measure is CPU time, not wall time, so waiting does not count.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A way to do the work. */
export interface Subject {
  readonly name: string
  /** Does the work `iterations` times and returns the number of records. */
  readonly batch: (iterations: number) => Effect.Effect<number>
  /** The CPU time used so far by the process that does the work, in microseconds. Default: this process. */
  readonly clock?: Effect.Effect<number>
}

export interface Comparison {
  readonly title: string
  /** What one iteration does, for example "page". */
  readonly unit: string
  /** The number of records that each subject must return per iteration. Another number is an error. */
  readonly records: number
  /** The first subject is the baseline. */
  readonly subjects: readonly [baseline: Subject, ...Array<Subject>]
  /** Subjects that are not available, with the reason. */
  readonly skipped?: ReadonlyArray<{ readonly name: string; readonly reason: string }>
  /** Longer batches for clocks with a low resolution. */
  readonly measureOptions?: Pick<MeasureOptions, "warmUp" | "batch">
  /** Whether to print wall time. */
  readonly showsWallTime?: boolean
  /** Lines to print below the table. */
  readonly notes?: Effect.Effect<ReadonlyArray<string>>
}

export interface MeasureOptions {
  /** Measured rounds. */
  readonly rounds: number
  /** CPU time for the warm-up of each subject, in microseconds. */
  readonly warmUp: number
  /** Target CPU time of a batch, in microseconds. */
  readonly batch: number
  /** CPU time used so far, in microseconds. */
  readonly clock: Effect.Effect<number>
}

export interface SubjectResult {
  readonly name: string
  /** Median CPU time of one iteration, in microseconds. */
  readonly cpu: number
  /** Median wall time divided by iterations, in microseconds. */
  readonly wall: number
  /** The ratio to the median of the baseline. */
  readonly ratio: number
}

/** CPU time of all threads of this process, including garbage collection. */
export const cpuTime: Effect.Effect<number> = Effect.sync(() => {
  const { system, user } = process.cpuUsage()
  return user + system
})

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2
}

/** Warms up all subjects, then measures them interleaved. */
export const runComparison = (
  comparison: Comparison,
  measure: MeasureOptions
): Effect.Effect<ReadonlyArray<SubjectResult>> =>
  Effect.gen(function*() {
    const prepared = yield* Effect.forEach(
      comparison.subjects,
      (subject) =>
        Effect.map(warmUpSubject(comparison, subject, measure), (iterations) => ({
          subject,
          iterations,
          timings: new Array<Timing>()
        }))
    )
    for (let round = 0; round < measure.rounds; round++) {
      for (const { subject, timings, iterations } of prepared) {
        timings.push(yield* measureBatch(comparison, subject, iterations, measure))
      }
    }
    const medians = prepared.map(({ subject: { name }, timings, iterations }) => ({
      name,
      cpu: median(timings.map(({ cpu }) => cpu)) / iterations,
      wall: median(timings.map(({ wall }) => wall)) / iterations
    }))
    const baseline = medians[0]?.cpu ?? Number.NaN
    return medians.map((result) => ({ ...result, ratio: result.cpu / baseline }))
  })

/** Warms up a subject and returns its batch size. */
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

/** Measures a batch. */
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
      `${comparison.title}: ${name} returned ${records} records in ${iterations} iterations`
    )
  })
