/** The async context of a caller, such as its `AsyncLocalStorage` store or, in a Worker, its request. */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** After so many turns of microtasks, timers and sockets have a turn. */
const maxTurns = 2048

/**
 * Runs an effect and the fibers that it forks in the async context in which it starts. Otherwise they would continue in that of the
 * call that resumes them, for example by leaving a queue. A program that has its own scheduler keeps it.
 */
export const inCallerContext = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiberRuntime(({ currentScheduler }) =>
    isDefault(currentScheduler) ? Effect.withScheduler(self, makeScheduler()) : self
  )

/** A runtime that was built synchronously has a scheduler that passes everything on to the default one since. */
const isDefault = (scheduler: Scheduler.Scheduler): boolean =>
  scheduler === Scheduler.defaultScheduler ||
  scheduler instanceof Scheduler.SyncScheduler && scheduler.deferred

/** Creates a scheduler of the current context: a promise calls back in the context in which `then` was called. */
const makeScheduler = (): Scheduler.Scheduler => {
  let tasks: Array<Scheduler.Task> = []
  let turns = 0
  let wake = () => {}
  const listen = () =>
    void new Promise<void>((resolve) => {
      wake = resolve
    }).then(() => ++turns % maxTurns === 0 ? void setTimeout(run) : run())
  const run = () => {
    const current = tasks
    tasks = []
    listen()
    for (const task of current) task()
  }
  listen()
  return Scheduler.make((task) => {
    if (tasks.push(task) === 1) wake()
  })
}
