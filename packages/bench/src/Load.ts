/** A closed loop: so many connections, each with one request under way, until all have been asked. */
import * as Effect from "effect/Effect"
import { type HttpResponse, openConnection } from "./Connection.ts"

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  /** The next request, as it is written on the wire. */
  readonly next: () => string
  readonly isCorrect: (response: HttpResponse) => boolean
}

export interface LoadResult {
  readonly correct: number
  /** One of those that were not, if any. */
  readonly incorrect: HttpResponse | undefined
}

/** Asks so many times. */
export const run = (
  { connections, isCorrect, next, port }: LoadOptions,
  iterations: number
): Effect.Effect<LoadResult> =>
  Effect.promise(async () => {
    let remaining = iterations
    let correct = 0
    let incorrect: HttpResponse | undefined
    const sendUntilDone = async () => {
      const connection = await openConnection(port)
      while (remaining > 0) {
        remaining -= 1
        const response = await connection.send(next())
        if (isCorrect(response)) correct += 1
        else incorrect = response
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: Math.min(connections, iterations) }, sendUntilDone))
    return { correct, incorrect }
  })
