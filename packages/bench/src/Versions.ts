/**
 * Several versions in one run: Blockquarry runs in the bench of each version, which is a process of its own. All benches
 * need the same comparisons.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type Benchmark, type Comparison, type Subject, subjectsOf } from "./Comparison.ts"
import { forkProcess } from "./Processes.ts"

/** Asks a worker for a batch of a subject. It replies with a `Batch`. */
const isBatchRequest = Schema.is(
  Schema.Struct({ comparison: Schema.String, subject: Schema.String, iterations: Schema.Number })
)

const isBatch = Schema.is(Schema.Struct({ records: Schema.Number, cost: Schema.Number }))

/** Replies to batch requests until the parent process disconnects. */
export const serveBatches = ({ comparisons }: Benchmark): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const all = yield* comparisons
    yield* Effect.async<void>((resume) => {
      process.once("disconnect", () => resume(Effect.void)).on("message", (message) => {
        if (!isBatchRequest(message)) return
        const subject = all.filter(({ title }) => title === message.comparison).flatMap(subjectsOf)
          .find(({ name }) => name === message.subject)
        if (subject === undefined) throw new Error(`no subject ${message.subject} of ${message.comparison}`)
        void Effect.runPromise(subject.run(message.iterations)).then((batch) => process.send?.(batch))
      })
    })
  }))

/** A version of Blockquarry: the path of its bench, and a name. */
export interface Version {
  readonly name: string
  readonly bench: string
}

/** A worker waits between its batches. V8 would shrink the young generation of an idle process, but not that of the others. */
const workerOptions = ["--min-semi-space-size=16"]

/**
 * Measures the subjects of Blockquarry in a process for each version, and everything else in this process. A limit that is
 * measured by the CPU time of its process is measured in those processes too, so that it has the same conditions.
 */
export const compareVersions = (
  benchmark: string,
  comparisons: ReadonlyArray<Comparison>,
  versions: ReadonlyArray<Version>
): Effect.Effect<ReadonlyArray<Comparison>, never, Scope.Scope> =>
  Effect.map(
    Effect.forEach(versions, ({ bench, name }) =>
      Effect.map(
        forkProcess(bench, ["worker", benchmark], workerOptions),
        ({ sendMessage }) => (comparison: Comparison) => {
          const inWorker = (subject: Subject): Subject => ({
            ...subject,
            name: `${subject.name}, ${name}`,
            run: (iterations) =>
              sendMessage({ comparison: comparison.title, subject: subject.name, iterations }).pipe(
                Effect.filterOrDieMessage(isBatch, "unexpected reply of a worker")
              )
          })
          const own = comparison.blockquarry.map(inWorker)
          if (comparison.baseline.isExternal === true) return own
          const baseline = inWorker(comparison.baseline)
          return [baseline, ...own.map((subject) => ({ ...subject, baseline }))]
        }
      )),
    (workers) =>
      comparisons.map((comparison) => ({
        ...comparison,
        blockquarry: workers.flatMap((blockquarryIn) => blockquarryIn(comparison))
      }))
  )
