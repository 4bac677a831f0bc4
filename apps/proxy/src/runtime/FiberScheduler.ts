/**
 * The scheduler of a process that starts thousands of fibers per second. That of Effect has a `WeakMap` of all fibers, which
 * lets them survive their end until a full garbage collection.
 */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** Runs a server with a scheduler that keeps nothing of a fiber. */
export const forServer = <A, E, R>(serve: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.withScheduler(serve, makeScheduler()))

/** Fibers that continue in one turn of the event loop. Further ones let other events come first. */
const maxTasksPerTurn = 2048

const resolved = Promise.resolve()

const makeScheduler = (): Scheduler.Scheduler => {
  let tasks = 0
  const endTurn = () => {
    tasks = 0
  }
  return Scheduler.make((task) => {
    if (tasks === 0) setImmediate(endTurn)
    tasks += 1
    if (tasks <= maxTasksPerTurn) void resolved.then(task)
    else setImmediate(task)
  })
}
