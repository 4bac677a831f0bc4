/**
 * Comparisons of a baseline, peers and Blockquarry.
 *
 * Absolute times vary with the load of the machine, so subjects run interleaved (A B C A B C …) and the result is the
 * ratio of their medians. The cost is CPU time, not wall time, so waiting does not count; of programs it is both.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A group of comparisons and their resources. */
export interface Benchmark {
  readonly name: string
  readonly comparisons: Effect.Effect<ReadonlyArray<Comparison>, never, Scope.Scope>
}

export interface Comparison {
  readonly title: string
  /** What one iteration does, for example "page". */
  readonly unit: string
  /** The number of records that each subject must return per iteration. Another number is an error. */
  readonly records: number
  /** The least that the work costs, or what growth is measured from. */
  readonly baseline: Subject
  /** Other programs that do the same. */
  readonly peers?: ReadonlyArray<Subject>
  readonly blockquarry: ReadonlyArray<Subject>
  /** Other than those of the command line. */
  readonly measureOptions?: Omit<MeasureOptions, "rounds">
  /** Lines to print below the table. */
  readonly notes?: Effect.Effect<ReadonlyArray<string>>
}

/** A way to do the work. */
export interface Subject {
  readonly name: string
  /** Does the work `iterations` times. */
  readonly run: (iterations: number) => Effect.Effect<Batch>
  /** Whether another process does the work. */
  readonly isExternal?: boolean
  /** What its ratio refers to: another subject of the comparison. Default: the baseline of the comparison. */
  readonly baseline?: Subject
  /** Upper bounds of the cost of an iteration, and of its ratio to the baseline, that Blockquarry should reach. */
  readonly target?: { readonly ratio?: number; readonly cost?: number }
}

export interface Batch {
  readonly records: number
  /** CPU time in microseconds. */
  readonly cost: number
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
}

export interface SubjectResult {
  readonly name: string
  /** Median cost of one iteration. */
  readonly cost: number
  /** The name of its baseline, and the ratio to the median of it. */
  readonly baseline: string
  readonly ratio: number
  readonly target: Subject["target"]
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
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
        Effect.map(warmUp(comparison, subject, measure), (iterations) => ({
          subject,
          iterations,
          costs: new Array<number>()
        }))
    )
    for (let round = 0; round < measure.rounds; round++) {
      for (const { costs, iterations, subject } of prepared) {
        costs.push(yield* measureBatch(comparison, subject, iterations))
      }
    }
    const medians = new Map(prepared.map(({ costs, subject }) => [subject, median(costs)] as const))
    const costOf = (subject: Subject) => medians.get(subject) ?? Number.NaN
    return prepared.map(({ subject }) => {
      const { baseline = comparison.baseline, name, target } = subject
      const cost = costOf(subject)
      return { name, cost, baseline: baseline.name, ratio: cost / costOf(baseline), target }
    })
  })

/** Warms up a subject and returns its batch size. */
const warmUp = (comparison: Comparison, subject: Subject, measure: MeasureOptions): Effect.Effect<number> =>
  Effect.gen(function*() {
    let iterations = 1
    let [spent, done] = [0, 0]
    // The cheapest batch: a slow one, for example with a major collection, would make the measured batches too short.
    let cheapest = Infinity
    while (spent < measure.warmUp || done < (measure.warmUpIterations ?? 0)) {
      const cost = yield* measureBatch(comparison, subject, iterations)
      spent += cost * iterations
      done += iterations
      cheapest = Math.min(cheapest, Math.max(cost, 1 / iterations))
      iterations = Math.min(Math.ceil(measure.batch / cheapest), iterations * 4)
    }
    return iterations
  })

/** The cost of an iteration. */
const measureBatch = ({ records, title }: Comparison, { name, run }: Subject, iterations: number) =>
  Effect.flatMap(run(iterations), (batch) =>
    batch.records === records * iterations
      ? Effect.succeed(batch.cost / iterations)
      : Effect.dieMessage(`${title}: ${name} returned ${batch.records} records in ${iterations} iterations`))
