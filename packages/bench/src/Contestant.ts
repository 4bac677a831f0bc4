/** Makers of contestants, by what does the work once. */
import * as Effect from "effect/Effect"
import type { Contestant } from "./Race.ts"

/** A function. */
export const calling = (name: string, once: () => number): Contestant => ({
  name,
  batch: (times) =>
    Effect.sync(() => {
      let records = 0
      for (let time = 0; time < times; time++) records += once()
      return records
    })
})

/** A function that promises. */
export const awaiting = (name: string, once: () => Promise<number>): Contestant => ({
  name,
  batch: (times) =>
    Effect.promise(async () => {
      let records = 0
      for (let time = 0; time < times; time++) records += await once()
      return records
    })
})

/** An effect; one fiber runs all of a batch, as one program would. */
export const running = <E>(name: string, once: Effect.Effect<number, E>): Contestant => ({
  name,
  batch: (times) =>
    Effect.orDie(Effect.gen(function*() {
      let records = 0
      for (let time = 0; time < times; time++) records += yield* once
      return records
    }))
})
