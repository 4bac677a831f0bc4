/**
 * Throughput of one and two processes of quarry-proxy, which share the machine with the load generator and their upstreams.
 */
import * as Effect from "effect/Effect"
import type { Benchmark } from "../Benchmark.ts"
import type { Comparison, Subject } from "../Comparison.ts"
import { formatSize, smallDocument } from "../Documents.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as ServerSubject from "../ServerSubject.ts"
import { startStubServer } from "../StubServer.ts"

/** Distributes the work over subjects, which do it at the same time. */
const together = (name: string, subjects: ReadonlyArray<Subject>): Subject => ({
  name,
  batch: (iterations) =>
    Effect.map(
      Effect.forEach(
        subjects,
        ({ batch }, index) => batch(Math.floor((iterations + index) / subjects.length)),
        { concurrency: "unbounded" }
      ),
      (records) => records.reduce((sum, count) => sum + count, 0)
    ),
  clock: Effect.map(
    Effect.forEach(subjects, ({ clock = Effect.succeed(0) }) => clock),
    (times) => times.reduce((sum, time) => sum + time, 0)
  )
})

const startProcess = (pattern: ServerSubject.LoadPattern) =>
  Effect.gen(function*() {
    const stubServer = yield* startStubServer({ [smallDocument.path]: smallDocument.body })
    const subject = yield* QuarryProxy.startSubject("quarry-proxy", stubServer.baseUrl)
    return ServerSubject.makeSubject(subject, smallDocument, pattern, stubServer)
  })

const compare = (title: string, pattern: ServerSubject.LoadPattern) =>
  Effect.gen(function*() {
    const processes = [yield* startProcess(pattern), yield* startProcess(pattern)]
    return {
      title: `throughput, ${title}, ${formatSize(smallDocument.body)}`,
      unit: "request",
      records: 1,
      baseline: together("1 process", processes.slice(0, 1)),
      blockquarry: [together("2 processes", processes)],
      measureOptions: ServerSubject.measureOptions,
      showsWallTime: true
    } satisfies Comparison
  })

export const processes: Benchmark = {
  name: "processes",
  comparisons: Effect.all([
    compare("pass-through, cache on", ServerSubject.cacheMisses()),
    compare("cached hits", ServerSubject.cacheHits)
  ])
}
