/**
 * Comparisons of a baseline, peers and Blockquarry, in one process or each in its own process.
 *
 * Absolute times vary with the load of the machine, so subjects run interleaved (A B C A B C …) and the result is the
 * ratio of their medians. The cost is CPU time, not wall time, so waiting does not count; of a bundle it is its size.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A way to do the work. */
export interface Subject {
  readonly name: string
  /** Does the work `iterations` times and returns the number of records. */
  readonly batch: (iterations: number) => Effect.Effect<number>
  /** The cost so far. Default: the CPU time of this process, in microseconds. */
  readonly clock?: Effect.Effect<number>
  /** What its ratio refers to: another subject of the comparison. Default: the baseline of the comparison. */
  readonly baseline?: Subject
  /** What Blockquarry should reach. */
  readonly target?: Target
}

/** Upper bounds. */
export interface Target {
  /** The ratio to the baseline. */
  readonly ratio?: number
  /** The cost of an iteration. */
  readonly cost?: number
}

export interface Comparison {
  readonly title: string
  /** What one iteration does, for example "page". */
  readonly unit: string
  /** The number of records that each subject must return per iteration. Another number is an error. */
  readonly records: number
  /** The unit of costs. Default: microseconds of CPU time. */
  readonly costUnit?: "bytes"
  /** The least that the work costs, or what growth is measured from. */
  readonly baseline: Subject
  /** Other programs that do the same. */
  readonly peers?: ReadonlyArray<Subject>
  readonly blockquarry: ReadonlyArray<Subject>
  /** Subjects that are not available, with the reason. */
  readonly skipped?: ReadonlyArray<{ readonly name: string; readonly reason: string }>
  /** Other than those of the command line. */
  readonly measureOptions?: Pick<MeasureOptions, "warmUp" | "warmUpIterations" | "batch">
  /** Whether to print wall time. */
  readonly showsWallTime?: boolean
  /** Lines to print below the table. */
  readonly notes?: Effect.Effect<ReadonlyArray<string>>
}

export interface MeasureOptions {
  /** Measured rounds. */
  readonly rounds: number
  /** Cost of the warm-up of each subject. */
  readonly warmUp: number
  /** Least iterations of the warm-up. Default: 0. */
  readonly warmUpIterations?: number
  /** Cost that a batch should have. */
  readonly batch: number
  /** CPU time of this process so far, in microseconds. */
  readonly clock: Effect.Effect<number>
}

export interface SubjectResult {
  readonly name: string
  /** Median cost of one iteration: CPU time in microseconds, or the unit of the comparison. */
  readonly cost: number
  /** Median wall time divided by iterations, in microseconds. */
  readonly wall: number
  /** The name of its baseline. */
  readonly baseline: string
  readonly baselineCost: number
  /** The ratio to the median of its baseline. */
  readonly ratio: number
  readonly target?: Target
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

export const subjectsOf = ({ baseline, blockquarry, peers = [] }: Comparison): ReadonlyArray<Subject> => [
  baseline,
  ...peers,
  ...blockquarry
]

/** Warms up all subjects, then measures them interleaved. */
export const runComparison = (
  comparison: Comparison,
  measure: MeasureOptions
): Effect.Effect<ReadonlyArray<SubjectResult>> =>
  Effect.gen(function*() {
    const prepared = yield* Effect.forEach(
      subjectsOf(comparison),
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
    const costs = new Map(prepared.map(({ subject, timings, iterations }) =>
      [subject, median(timings.map(({ cost }) => cost)) / iterations] as const
    ))
    const costOf = (subject: Subject) =>
      costs.get(subject) ?? Number.NaN
    return prepared.map(({ subject, timings, iterations }) => {
      const { baseline = comparison.baseline, name, target } = subject
      return {
        name,
        cost: costOf(subject),
        wall: median(timings.map(({ wall }) => wall)) / iterations,
        baseline: baseline.name,
        baselineCost: costOf(baseline),
        ratio: costOf(subject) / costOf(baseline),
        ...(target === undefined ? {} : { target })
      }
    })
  })

/** Warms up a subject and returns its batch size. */
const warmUpSubject = (
  comparison: Comparison,
  subject: Subject,
  measure: MeasureOptions
): Effect.Effect<number> =>
  Effect.gen(function*() {
    let iterations = 1
    let [spent, done] = [0, 0]
    // The cheapest batch: a slow one, for example with a major collection, would make the measured batches too short.
    let cheapest = Infinity
    while (spent < measure.warmUp || done < (measure.warmUpIterations ?? 0)) {
      const { cost } = yield* measureBatch(comparison, subject, iterations, measure)
      spent += cost
      done += iterations
      cheapest = Math.min(cheapest, Math.max(cost, 1) / iterations)
      iterations = Math.min(Math.ceil(measure.batch / cheapest), iterations * 4)
    }
    return iterations
  })

interface Timing {
  readonly cost: number
  /** Microseconds. */
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
    const costClock = clock ?? measure.clock
    const [cost, wall] = [yield* costClock, yield* Clock.currentTimeNanos]
    const records = yield* batch(iterations)
    const timing: Timing = {
      cost: (yield* costClock) - cost,
      wall: Number((yield* Clock.currentTimeNanos) - wall) / 1000
    }
    if (records === comparison.records * iterations) return timing
    return yield* Effect.dieMessage(
      `${comparison.title}: ${name} returned ${records} records in ${iterations} iterations`
    )
  })
