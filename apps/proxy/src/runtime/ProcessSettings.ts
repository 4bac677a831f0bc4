/**
 * Settings of Effect and V8 for a process that starts thousands of fibers per second, whose requests leave nothing behind. These are
 * the only places that reach into a platform: docs/performance.md has what each gains, and what to report to Effect.
 *
 * Effect has a `Set` of all fibers without a parent, and a scheduler with a `WeakMap` of all fibers. V8 keeps the earlier
 * tables of a `Set`, and the requests that they refer to, until a full garbage collection. Each collection of the young
 * generation copies these requests.
 *
 * V8 reads its options at each garbage collection, so the proxy sets them itself and needs none on its command line.
 */
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import * as Predicate from "effect/Predicate"
import * as Scheduler from "effect/Scheduler"
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
// What a request creates does not outlive it, so no object skips the young generation of the heap. For a heap of this size,
// parallel threads mostly wait for each other. Benchmarks read the file too.
import options from "./v8Options.json" with { type: "json" }

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

/**
 * The young generation grows up to two semi-spaces of 16 MiB. Larger ones pause all requests longer, and buffers then wait so long
 * for a collection that their memory starts a full one.
 */
const maxSemiSpace = 16 * 1024 * 1024

/** The available part of the smallest semi-space, 1 MiB. V8 uses up to 2 % of it. */
const minSemiSpace = 1024 * 1024 * 0.98

/**
 * Sets the options that the options of Node.js do not set: the command line (`process.execArgv`) and `NODE_OPTIONS`, which may
 * contain the size of a semi-space.
 */
export const setV8Options = (nodeOptions: ReadonlyArray<string>): void => {
  const names = new Set(nodeOptions.map(nameOf))
  for (const option of options) if (!names.has(nameOf(option))) setFlagsFromString(option)
  if (!names.has("max-semi-space-size")) limitYoungGeneration()
}

/**
 * Its maximum size can only be set at the start of Node.js, but the factor of its growth at any time. V8 shrinks it to 1 MiB while
 * little is allocated, and with each full collection that the memory of buffers starts. From there it grows in one step: in a
 * small young generation, bodies become old before they are garbage, and the next full collection comes sooner.
 */
const limitYoungGeneration = (): void => {
  let factor = 0
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")
    if (young === undefined) return
    // Not half of `space_size`: at times only one of the two semi-spaces has memory.
    const semiSpace = young.space_used_size + young.space_available_size
    const next = Math.floor(maxSemiSpace / Math.min(maxSemiSpace, Math.max(minSemiSpace, semiSpace)))
    if (next === factor) return
    factor = next
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  })
  observer.observe({ entryTypes: ["gc"] })
}

/** `--no-parallel-scavenge` and `--parallel_scavenge` set the same option. */
const nameOf = (option: string): string =>
  option.replaceAll("_", "-").replace(/^--(no-?)?/, "").replace(/=.*/, "")
