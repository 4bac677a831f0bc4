/** A closed-loop load generator: a number of connections, each with one request in flight. */
import * as Effect from "effect/Effect"
import { type HttpResponse, openConnection } from "./Connection.ts"

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  /** Returns the next raw request. */
  readonly next: () => string
  readonly isCorrect: (response: HttpResponse) => boolean
}

export interface LoadResult {
  readonly correct: number
  /** An incorrect response, if any. */
  readonly incorrect: HttpResponse | undefined
}

/** Sends `iterations` requests. */
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
