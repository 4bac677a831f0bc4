/** A closed loop: so many connections, each with one request under way, until all have been asked. */
import * as Effect from "effect/Effect"
import { type Answer, connect } from "./Connection.ts"

export interface Load {
  readonly port: number
  readonly connections: number
  /** The next request, as it is written on the wire. */
  readonly next: () => string
  readonly isRight: (answer: Answer) => boolean
}

export interface Outcome {
  readonly right: number
  /** One of those that were not, if any. */
  readonly wrong: Answer | undefined
}

/** Asks so many times. */
export const run = ({ connections, isRight, next, port }: Load, times: number): Effect.Effect<Outcome> =>
  Effect.promise(async () => {
    let left = times
    let right = 0
    let wrong: Answer | undefined
    const loop = async () => {
      const connection = await connect(port)
      while (left > 0) {
        left -= 1
        const answer = await connection.ask(next())
        if (isRight(answer)) right += 1
        else wrong = answer
      }
      connection.hangUp()
    }
    await Promise.all(Array.from({ length: Math.min(connections, times) }, loop))
    return { right, wrong }
  })
