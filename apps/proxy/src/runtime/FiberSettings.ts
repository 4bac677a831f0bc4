/**
 * Adapts the fiber runtime to a process that starts thousands of fibers per second.
 *
 * Effect has a `Set` of all fibers without a parent, and a scheduler with a `WeakMap` of all fibers. V8 keeps the earlier
 * tables of a `Set`, and the requests that they refer to, until a full garbage collection. Each collection of the young
 * generation copies these requests. docs/performance.md has what that costs, and what to report to Effect.
 */
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import * as Predicate from "effect/Predicate"
import * as Scheduler from "effect/Scheduler"

/** Runs a server with fibers that cost less memory. */
export const forServer = <A, E, R>(serve: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    omitRootFibers()
    return Effect.withScheduler(serve, makeScheduler())
  })

/** Fibers that continue in one turn of the event loop. Further ones let other events come first. */
const maxTasksPerTurn = 2048

const resolved = Promise.resolve()

/** Creates a scheduler that keeps nothing of a fiber. */
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

class EmptySet extends Set<unknown> {
  override add(): this {
    return this
  }
}

/** Disables `Fiber.roots`, the only use of the set. Without this internal set of Effect, does nothing. */
const omitRootFibers = (): void => {
  const scope = globalValue(Symbol.for("effect/FiberScope/Global"), (): unknown => undefined)
  if (Predicate.hasProperty(scope, "roots") && scope.roots instanceof Set) {
    Object.assign(scope, { roots: new EmptySet() })
  }
}
