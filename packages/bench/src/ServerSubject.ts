/** Servers as subjects, measured by the CPU time of their process. Checks their responses and upstream requests. */
import * as Effect from "effect/Effect"
import type { Subject, Target } from "./Comparison.ts"
import { formatGet, type HttpResponse, openConnection } from "./Connection.ts"
import * as Load from "./Load.ts"
import * as ProcessStats from "./ProcessStats.ts"
import type { StubServer } from "./StubServer.ts"

/** A running server. */
export interface ServerSubject {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly target?: Target
}

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

export const makeSubject = (
  { headers = {}, name, pid, port, target = {} }: ServerSubject,
  { body, path }: ExpectedDocument,
  { upstreamRequests, query }: LoadPattern,
  stubServer: StubServer
): Subject => {
  const bytes = Buffer.from(body)
  const next = () => formatGet(`${path}?${query()}`, headers)
  const isCorrect = (response: HttpResponse) =>
    response.status === 200 && response.body.byteLength === bytes.byteLength
  const firstResponse = Effect.promise(async () => {
    const connection = await openConnection(port)
    const response = await connection.send(next())
    connection.close()
    return response
  })
  const unexpectedResponse = ({ body, head }: HttpResponse) =>
    Effect.dieMessage(`${name}: unexpected response ${head}${body.toString()}`)
  const batch = (iterations: number) =>
    Effect.gen(function*() {
      // The first response is compared in full, and fills the cache. For the others, comparing the length suffices
      const response = yield* firstResponse
      if (!bytes.equals(response.body)) return yield* unexpectedResponse(response)
      const before = yield* stubServer.requestCount
      const { correct, incorrect } = yield* Load.run(
        { port, connections, next, isCorrect },
        iterations
      )
      const upstreamRequestCount = (yield* stubServer.requestCount) - before
      if (incorrect !== undefined) return yield* unexpectedResponse(incorrect)
      const { min, max } = upstreamRequests(iterations)
      if (upstreamRequestCount >= min && upstreamRequestCount <= max) return correct
      const expected = min === max ? `${min}` : `${min} to ${max}`
      return yield* Effect.dieMessage(
        `${name} sent ${upstreamRequestCount} upstream requests for ${iterations} requests, expected ${expected}`
      )
    })
  return { name, clock: ProcessStats.processCpuTime(pid), batch, target }
}
