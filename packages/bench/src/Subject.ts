/** Makers of contestants, by what does the work once. */
import * as Effect from "effect/Effect"
import type { Subject } from "./Comparison.ts"

/** A function. */
export const syncSubject = (name: string, operation: () => number): Subject => ({
  name,
  batch: (iterations) =>
    Effect.sync(() => {
      let records = 0
      for (let time = 0; time < iterations; time++) records += operation()
      return records
    })
})

/** A function that promises. */
export const promiseSubject = (name: string, operation: () => Promise<number>): Subject => ({
  name,
  batch: (iterations) =>
    Effect.promise(async () => {
      let records = 0
      for (let time = 0; time < iterations; time++) records += await operation()
      return records
    })
})

/** An effect; one fiber runs all of a batch, as one program would. */
export const effectSubject = <E>(name: string, operation: Effect.Effect<number, E>): Subject => ({
  name,
  batch: (iterations) =>
    Effect.orDie(Effect.gen(function*() {
      let records = 0
      for (let time = 0; time < iterations; time++) records += yield* operation
      return records
    }))
})
