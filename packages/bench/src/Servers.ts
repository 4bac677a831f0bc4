/** Servers as subjects, measured by the CPU time of their process. Checks their responses and upstream requests. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Subject } from "./Comparison.ts"
import * as Load from "./Load.ts"
import { forkProcess, pathTo, processCpuTime } from "./Processes.ts"
import { measuredSubject } from "./Subject.ts"

/** Starts a program of this package, sends it its first message, and receives its port. `ask` sends an empty message. */
const forkServer = (
  program: "upstream" | "referenceServers",
  message: object,
  nodeOptions: ReadonlyArray<string> = []
) =>
  Effect.gen(function*() {
    const { pid, sendMessage } = yield* forkProcess(pathTo(`packages/bench/${program}.mjs`), [], nodeOptions)
    return { pid, port: Number(yield* sendMessage(message)), ask: sendMessage({}) }
  })

/** An upstream with fixed responses, in its own process until the scope closes. */
export interface Upstream {
  readonly baseUrl: string
  /** The number of requests so far. */
  readonly requestCount: Effect.Effect<number>
}

/** What `upstream.mjs` describes. */
export interface UpstreamOptions {
  readonly bodies: Readonly<Record<string, string | ReadonlyArray<string> | null>>
  readonly faults?: number
}

export const startUpstream = (options: UpstreamOptions): Effect.Effect<Upstream, never, Scope.Scope> =>
  Effect.map(forkServer("upstream", options), ({ ask, port }) => ({
    baseUrl: `http://127.0.0.1:${port}`,
    requestCount: Effect.map(ask, Number)
  }))

/** A running server. */
export interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What `referenceServers.mjs` describes. */
export interface ReferenceOptions {
  readonly server: string
  readonly upstreamUrl: string
  readonly bodies: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly accessLog?: boolean
}

export const startReference = (
  name: string,
  options: ReferenceOptions,
  nodeOptions: ReadonlyArray<string> = []
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(forkServer("referenceServers", options, nodeOptions), ({ pid, port }) => ({ name, pid, port }))

/** A path and the expected body. */
export interface ExpectedDocument {
  readonly path: string
  readonly body: string
}

/** The queries of a batch, and the allowed number of upstream requests. */
export interface LoadPattern {
  readonly query: () => string
  readonly upstreamRequests: (iterations: number) => { readonly min: number; readonly max: number }
}

/** Repeats one request. Cache entries expire after seconds, so a few upstream requests are allowed. */
export const cacheHits: LoadPattern = {
  query: () => "chain=eth",
  upstreamRequests: (iterations) => ({ min: 0, max: 1 + Math.floor(iterations / 100) })
}

/** Never repeats a request. */
export const cacheMisses = (): LoadPattern => {
  let requestCount = 0
  return {
    query: () => `chain=eth&request=${++requestCount}`,
    upstreamRequests: (iterations) => ({ min: iterations, max: iterations })
  }
}

/** Long enough that a server runs optimized code: V8 optimizes functions by the number of their calls, not by time. */
export const measureOptions = { warmUp: 3_000_000, warmUpIterations: 25_000, batch: 300_000 }

/** Connections of the load generator, each with one request in flight. */
export const connections = 32

/** Returns a constructor of subjects that request a document. */
export const subjectsWith =
  ({ body, path }: ExpectedDocument, { query, upstreamRequests }: LoadPattern, upstream: Upstream) =>
  ({ headers = {}, name, pid, port }: Server): Subject => {
    const bytes = Buffer.from(body)
    const next = () => ({ target: `${path}?${query()}`, headers })
    /** The first response is compared in full, and fills the cache. For the others, comparing the length suffices. */
    const sendRequests = (count: number, isExpected: (body: Buffer) => boolean) =>
      Effect.gen(function*() {
        let correct = 0
        let unexpected: Load.Response | Error | undefined
        const onResponse = (response: Load.Response | Error) => {
          if ("body" in response && response.status === 200 && isExpected(response.body)) correct += 1
          else unexpected = response
        }
        yield* Load.send({ port, connections, next, onResponse }, count)
        if (unexpected === undefined) return correct
        return yield* Effect.dieMessage(`${name}: unexpected response ${Load.describe(unexpected)}`)
      })
    const work = (iterations: number) =>
      Effect.gen(function*() {
        yield* sendRequests(1, (body) => bytes.equals(body))
        const before = yield* upstream.requestCount
        const correct = yield* sendRequests(iterations, ({ byteLength }) => byteLength === bytes.byteLength)
        const upstreamRequestCount = (yield* upstream.requestCount) - before
        const { max, min } = upstreamRequests(iterations)
        if (upstreamRequestCount >= min && upstreamRequestCount <= max) return correct
        const expected = min === max ? `${min}` : `${min} to ${max}`
        return yield* Effect.dieMessage(
          `${name} sent ${upstreamRequestCount} upstream requests for ${iterations} requests, expected ${expected}`
        )
      })
    return { ...measuredSubject(name, work, Effect.sync(() => processCpuTime(pid))), isExternal: true }
  }
