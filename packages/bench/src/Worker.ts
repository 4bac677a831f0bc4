/**
 * Subjects of the bench of another checkout, which runs in its own process, so that two versions are measured interleaved
 * in one run. Both benches need the same comparisons.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Benchmark } from "./Benchmark.ts"
import { forkProcess } from "./ChildProgram.ts"
import { type Comparison, cpuTime, type Subject, subjectsOf } from "./Comparison.ts"

/** Asks a worker for a batch of a subject. */
interface BatchRequest {
  readonly comparison: string
  readonly subject: string
  readonly iterations: number
}

interface BatchReply {
  readonly records: number
  readonly cost: number
}

const isBatchRequest = (message: unknown): message is BatchRequest =>
  typeof message === "object" && message !== null && "comparison" in message && "subject" in message &&
  "iterations" in message

const isBatchReply = (message: unknown): message is BatchReply =>
  typeof message === "object" && message !== null && "records" in message && "cost" in message

/** Replies to batch requests until the parent process disconnects. */
export const serveBatches = ({ comparisons }: Benchmark): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const all = yield* comparisons
    const disconnected = yield* Deferred.make<void>()
    const runBatch = (request: BatchRequest) =>
      Effect.gen(function*() {
        const subject = all.filter(({ title }) => title === request.comparison).flatMap(subjectsOf)
          .find(({ name }) => name === request.subject)
        if (subject === undefined) {
          return yield* Effect.dieMessage(`no subject ${request.subject} of ${request.comparison}`)
        }
        const clock = subject.clock ?? cpuTime
        const before = yield* clock
        const records = yield* subject.batch(request.iterations)
        return { records, cost: (yield* clock) - before }
      })
    process.on("message", (message) => {
      if (isBatchRequest(message)) {
        void Effect.runPromise(runBatch(message)).then((reply) => process.send?.(reply))
      }
    })
    process.once("disconnect", () => Deferred.unsafeDone(disconnected, Effect.void))
    yield* Deferred.await(disconnected)
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
  Effect.gen(function*() {
    const workers = yield* Effect.forEach(versions, ({ bench, name }) =>
      Effect.map(
        forkProcess(bench, ["worker", benchmark], workerOptions),
        ({ sendMessage }) => ({ name, sendMessage })
      ))
    return comparisons.map((comparison) => {
      /** The subject in the process of a version. */
      const subjectIn = ({ name, sendMessage }: typeof workers[number], subject: Subject): Subject => {
        let total = 0
        return {
          ...subject,
          name: `${subject.name}, ${name}`,
          clock: Effect.sync(() => total),
          batch: (iterations) =>
            sendMessage({ comparison: comparison.title, subject: subject.name, iterations }).pipe(
              Effect.filterOrDieMessage(isBatchReply, "unexpected reply of a worker"),
              Effect.map(({ cost, records }) => {
                total += cost
                return records
              })
            )
        }
      }
      return {
        ...comparison,
        blockquarry: workers.flatMap((worker) => {
          const own = comparison.blockquarry.map((subject) => subjectIn(worker, subject))
          if (comparison.baseline.clock !== undefined) return own
          const baseline = subjectIn(worker, comparison.baseline)
          return [baseline, ...own.map((subject) => ({ ...subject, baseline }))]
        })
      }
    })
  })
