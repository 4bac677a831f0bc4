/** Constructors of subjects. */
import * as Effect from "effect/Effect"
import type { Batch, Subject } from "./Comparison.ts"

/** CPU time of all threads of this process, including garbage collection, in microseconds. */
const cpuTime: Effect.Effect<number> = Effect.sync(() => {
  const { system, user } = process.cpuUsage()
  return user + system
})

/** `work` does a number of iterations and returns the number of records. Its cost is the time that `clock` advances. */
export const measuredSubject = (
  name: string,
  work: (iterations: number) => Effect.Effect<number>,
  clock: Effect.Effect<number> = cpuTime
): Subject => ({
  name,
  run: (iterations) =>
    Effect.gen(function*() {
      const before = yield* clock
      const records = yield* work(iterations)
      return { records, cost: (yield* clock) - before }
    })
})

/** A synchronous function. */
export const syncSubject = (name: string, operation: () => number): Subject =>
  measuredSubject(name, (iterations) =>
    Effect.sync(() => {
      let records = 0
      for (let iteration = 0; iteration < iterations; iteration++) records += operation()
      return records
    }))

/** An asynchronous function. */
export const promiseSubject = (name: string, operation: () => Promise<number>): Subject =>
  measuredSubject(name, (iterations) =>
    Effect.promise(async () => {
      let records = 0
      for (let iteration = 0; iteration < iterations; iteration++) records += await operation()
      return records
    }))

/** An effect. One fiber runs the whole batch, as in a program. */
export const effectSubject = <E>(name: string, operation: Effect.Effect<number, E>): Subject =>
  measuredSubject(name, (iterations) =>
    Effect.orDie(Effect.gen(function*() {
      let records = 0
      for (let iteration = 0; iteration < iterations; iteration++) records += yield* operation
      return records
    })))

/** A subject of which every iteration starts a process, and whose comparison has `processMeasureOptions`. */
export const processSubject = (name: string, run: Effect.Effect<Batch>): Subject => ({
  name,
  isExternal: true,
  run: (iterations) => Effect.map(Effect.replicateEffect(run, iterations), sumOfBatches)
})

/** Every iteration starts a process, so one is a batch. */
export const processMeasureOptions = { warmUp: 0, batch: 0 }

const sumOfBatches = (batches: ReadonlyArray<Batch>): Batch => ({
  records: batches.reduce((sum, { records }) => sum + records, 0),
  cost: batches.reduce((sum, { cost }) => sum + cost, 0)
})
