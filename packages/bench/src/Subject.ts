/** Constructors of subjects from one iteration of the work. */
import * as Effect from "effect/Effect"
import type { Subject } from "./Comparison.ts"

/** A synchronous function. */
export const syncSubject = (name: string, operation: () => number): Subject => ({
  name,
  batch: (iterations) =>
    Effect.sync(() => {
      let records = 0
      for (let iteration = 0; iteration < iterations; iteration++) records += operation()
      return records
    })
})

/** An asynchronous function. */
export const promiseSubject = (name: string, operation: () => Promise<number>): Subject => ({
  name,
  batch: (iterations) =>
    Effect.promise(async () => {
      let records = 0
      for (let iteration = 0; iteration < iterations; iteration++) records += await operation()
      return records
    })
})

/** An effect. One fiber runs the whole batch, as in a program. */
export const effectSubject = <E>(name: string, operation: Effect.Effect<number, E>): Subject => ({
  name,
  batch: (iterations) =>
    Effect.orDie(Effect.gen(function*() {
      let records = 0
      for (let iteration = 0; iteration < iterations; iteration++) records += yield* operation
      return records
    }))
})
