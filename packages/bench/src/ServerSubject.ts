/** Processes that stand before a service, as contestants: measured by their own CPU time, and watched. */
import * as Effect from "effect/Effect"
import type { Subject } from "./Comparison.ts"
import { formatGet, type HttpResponse, openConnection } from "./Connection.ts"
import * as Load from "./Load.ts"
import * as ProcessStats from "./ProcessStats.ts"
import type { StubServer } from "./StubServer.ts"

/** A process that is asked. */
export interface ServerSubject {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What it is asked for, and what it must answer. */
export interface ExpectedDocument {
  readonly path: string
  readonly body: string
}

/** How a batch is asked for, and how often the service may be asked while it goes on. */
export interface LoadPattern {
  readonly query: () => string
  readonly upstreamRequests: (iterations: number) => { readonly min: number; readonly max: number }
}

/** Always the same question. Answers are kept for seconds, so now and then it is asked anew. */
export const cacheHits: LoadPattern = {
  query: () => "chain=eth",
  upstreamRequests: (iterations) => ({ min: 0, max: 1 + Math.floor(iterations / 100) })
}

/** Never the same question twice. */
export const cacheMisses = (): LoadPattern => {
  let requestCount = 0
  return {
    query: () => `chain=eth&turn=${++requestCount}`,
    upstreamRequests: (iterations) => ({ min: iterations, max: iterations })
  }
}

/** Each has one request under way. */
export const connections = 32

export const makeSubject = (
  { headers = {}, name, pid, port }: ServerSubject,
  { body, path }: ExpectedDocument,
  { upstreamRequests: mayAsk, query }: LoadPattern,
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
    Effect.dieMessage(`${name} answered ${head}${body.toString()}`)
  const batch = (iterations: number) =>
    Effect.gen(function*() {
      // The first one is read to the last byte, and brings back what is kept; of the others the length will do.
      const response = yield* firstResponse
      if (!bytes.equals(response.body)) return yield* unexpectedResponse(response)
      const before = yield* stubServer.requestCount
      const { correct: right, incorrect: wrong } = yield* Load.run(
        { port, connections, next, isCorrect },
        iterations
      )
      const upstreamRequestCount = (yield* stubServer.requestCount) - before
      if (wrong !== undefined) return yield* unexpectedResponse(wrong)
      const { min: least, max: most } = mayAsk(iterations)
      if (upstreamRequestCount >= least && upstreamRequestCount <= most) return right
      const expected = least === most ? `${least}` : `${least} to ${most}`
      return yield* Effect.dieMessage(
        `${name} asked the service ${upstreamRequestCount} times for ${iterations} requests, expected ${expected}`
      )
    })
  return { name, clock: ProcessStats.processCpuTime(pid), batch }
}
