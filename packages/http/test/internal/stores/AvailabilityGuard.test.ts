/** Tests the guard of a remote store: timeouts, the fallback, and the return to the store. */
import * as StoreError from "@blockquarry/http/StoreError"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { readFile } from "node:fs"
import * as AvailabilityGuard from "../../../src/internal/stores/AvailabilityGuard.ts"
import * as StoreGroup from "../../../src/internal/stores/StoreGroup.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"

const storeError = new StoreError.StoreError({ reason: "refused" })

type State = "available" | "failing" | "hanging"

/** A guarded store in a state that the test sets, with counters of its commands and pings. */
const guardedStore = Effect.gen(function*() {
  const store = { state: "available" satisfies State as State, commands: 0, pings: 0 }
  const reply: Effect.Effect<void, StoreError.StoreError> = Effect.suspend(() =>
    store.state === "available"
      ? Effect.void
      : store.state === "failing"
      ? Effect.fail(storeError)
      : Effect.never
  )
  const scope = yield* Scope.make()
  const guard = yield* Scope.extend(
    AvailabilityGuard.make(
      "test",
      Effect.suspend(() => {
        store.pings += 1
        return reply
      })
    ),
    scope
  )
  const run = guard.run(
    Effect.suspend(() => {
      store.commands += 1
      return Effect.as(reply, "remote")
    }),
    Effect.succeed("fallback")
  )
  return { run, scope, store }
})

const gauge = Effect.map(
  Metric.value(Metric.tagged(Telemetry.storeAvailable, "store", "test")),
  ({ value }) => value
)

/** Runs an effect for at most 100 ms, and returns its result and duration. */
const timed = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function*() {
    const before = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.fork(
      Effect.zip(effect, Effect.map(Clock.currentTimeMillis, (now) => now - before))
    )
    yield* TestClock.adjust(100)
    return yield* Fiber.join(fiber)
  })

const contexts = [
  ["an interruptible region", Effect.interruptible],
  ["an uninterruptible region", Effect.uninterruptible]
] as const

describe.each(contexts)("a guard in %s", (_, region) => {
  it.effect("runs each command on an available store", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      expect(yield* region(run)).toBe("remote")
      expect(yield* region(run)).toBe("remote")
      expect([store.commands, store.pings]).toEqual([2, 0])
    }))

  it.effect("waits 100 ms once if the store hangs, and then uses the fallback immediately", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      store.state = "hanging"
      expect(yield* timed(region(run))).toEqual(["fallback", 100])
      expect(yield* timed(region(run))).toEqual(["fallback", 0])
      expect(store.commands).toBe(1)
    }))

  it.effect("uses the fallback immediately if the store fails", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      store.state = "failing"
      expect(yield* region(run)).toBe("fallback")
      store.state = "available"
      expect(yield* region(run)).toBe("fallback")
      expect(store.commands).toBe(1)
    }))

  it.effect("pings an unavailable store twice a second, and uses it again after the first success", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      expect(yield* gauge).toBe(1)
      store.state = "failing"
      yield* region(run)
      expect(yield* gauge).toBe(0)
      yield* TestClock.adjust(499)
      expect(store.pings).toBe(0)
      yield* TestClock.adjust(1)
      expect(store.pings).toBe(1)
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(11)
      expect(yield* region(run)).toBe("fallback")
      store.state = "available"
      yield* TestClock.adjust(500)
      expect(yield* gauge).toBe(1)
      expect(yield* region(run)).toBe("remote")
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(12)
    }))

  it.effect("pings a hanging store again after each timeout of 100 ms", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      store.state = "hanging"
      yield* timed(region(run))
      yield* TestClock.adjust(6000)
      expect(store.pings).toBe(10)
    }))

  it.effect("becomes unavailable once for concurrent failures, with one log line and one series of pings", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      const recorder = TelemetryRecorder.make()
      store.state = "hanging"
      const fibers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.fork(recorder.record(region(run)))
      )
      yield* TestClock.adjust(100)
      expect(yield* Fiber.join(Fiber.all(fibers))).toEqual(Array.from({ length: 20 }, () => "fallback"))
      expect(store.commands).toBe(20)
      store.state = "failing"
      yield* TestClock.adjust(500)
      expect(store.pings).toBe(1)
      store.state = "available"
      yield* TestClock.adjust(500)
      expect(store.pings).toBe(2)
      expect(recorder.logs.map(({ text }) => /store is (?:un)?available/.exec(text)?.[0])).toEqual([
        "store is unavailable",
        "store is available"
      ])
    }))

  it.effect("becomes unavailable and available repeatedly", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore
      for (let times = 0; times < 3; times += 1) {
        store.state = "failing"
        expect(yield* region(run)).toBe("fallback")
        store.state = "available"
        yield* TestClock.adjust(500)
        expect(yield* region(run)).toBe("remote")
      }
      expect(store.pings).toBe(3)
    }))

  it.effect("stops pinging when its scope closes", () =>
    Effect.gen(function*() {
      const { run, scope, store } = yield* guardedStore
      store.state = "hanging"
      yield* timed(region(run))
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(10)
      expect((yield* Fiber.poll(closing))._tag).toBe("Some")
      const { pings } = store
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(pings)
    }))
})

it.effect("marks all stores of a group as unavailable when one times out", () =>
  Effect.scoped(Effect.gen(function*() {
    const group = yield* StoreGroup.make
    const one = yield* AvailabilityGuard.make("one", Effect.never, group)
    const other = yield* AvailabilityGuard.make("other", Effect.void, group)
    const pending = yield* Effect.fork(one.run(Effect.never, Effect.succeed("fallback")))
    expect(yield* other.run(Effect.succeed("remote"), Effect.succeed("fallback"))).toBe("remote")
    yield* TestClock.adjust(100)
    expect(yield* Fiber.join(pending)).toBe("fallback")
    expect(yield* other.run(Effect.dieMessage("unexpected command"), Effect.succeed("fallback"))).toBe(
      "fallback"
    )
    // Each store becomes available again on its own
    yield* TestClock.adjust(500)
    expect(yield* other.run(Effect.succeed("remote"), Effect.succeed("fallback"))).toBe("remote")
    expect(yield* one.run(Effect.dieMessage("unexpected command"), Effect.succeed("fallback"))).toBe(
      "fallback"
    )
  })))

it.live("does not time out if this process is busy while the reply arrives", () =>
  Effect.scoped(Effect.gen(function*() {
    const guard = yield* AvailabilityGuard.make("test", Effect.void)
    // The file is read while this process is busy, like the reply of a fast store
    const command = Effect.async<string>((resume) => {
      readFile(import.meta.filename, () => resume(Effect.succeed("remote")))
      const until = performance.now() + 150
      while (performance.now() < until);
    })
    expect(yield* guard.run(command, Effect.succeed("fallback"))).toBe("remote")
  })))
