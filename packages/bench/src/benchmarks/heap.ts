/** Pass-through with the cache, by the size of the young generation of the heap (`--max-semi-space-size`). */
import * as Effect from "effect/Effect"
import type { Benchmark } from "../Benchmark.ts"
import { formatSize, pageDocument, smallDocument } from "../Documents.ts"
import * as QuarryProxy from "../QuarryProxy.ts"
import * as ServerSubject from "../ServerSubject.ts"
import { startStubServer } from "../StubServer.ts"

const comparisons = Effect.gen(function*() {
  const documents = [smallDocument, pageDocument]
  const stubServer = yield* startStubServer(
    Object.fromEntries(documents.map(({ body, path }) => [path, body]))
  )
  const startWith = (mebibytes: number) =>
    QuarryProxy.startSubject(`semi-space of ${mebibytes} MB`, stubServer.baseUrl, {}, [
      `--max-semi-space-size=${mebibytes}`
    ])
  const first = yield* startWith(8)
  const others = yield* Effect.forEach([16, 32, 64], startWith)
  const pattern = ServerSubject.cacheMisses()
  return documents.map((document) => {
    const toSubject = (subject: ServerSubject.ServerSubject) =>
      ServerSubject.makeSubject(subject, document, pattern, stubServer)
    return {
      title: `semi-space, pass-through, cache on, ${formatSize(document.body)}`,
      unit: "request",
      records: 1,
      baseline: toSubject(first),
      blockquarry: others.map(toSubject),
      measureOptions: ServerSubject.measureOptions,
      showsWallTime: true
    }
  })
})

export const heap: Benchmark = { name: "heap", comparisons }
