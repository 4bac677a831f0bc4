/** The guard of a store: 100 milliseconds once, then none, until the store answers again. */
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
import * as Guard from "../../../src/internal/stores/AvailabilityGuard.ts"
import * as StoreGroup from "../../../src/internal/stores/StoreGroup.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"

const fault = new StoreError.StoreError({ reason: "refused" })

type State = "there" | "failing" | "silent"

/** A store in any state, its guard, and how often it was asked and looked after. */
const guardedStore = Effect.gen(function*() {
  const store = { state: "there" satisfies State as State, asked: 0, pings: 0 }
  const answer: Effect.Effect<void, StoreError.StoreError> = Effect.suspend(() =>
    store.state === "there" ? Effect.void : store.state === "failing" ? Effect.fail(fault) : Effect.never
  )
  const scope = yield* Scope.make()
  const guard = yield* Scope.extend(
    Guard.make(
      "test",
      Effect.suspend(() => {
        store.pings += 1
        return answer
      })
    ),
    scope
  )
  const ask = guard.run(
    Effect.suspend(() => {
      store.asked += 1
      return Effect.as(answer, "shared")
    }),
    Effect.succeed("own")
  )
  return { ask, scope, store }
})

const gauge = Effect.map(
  Metric.value(Metric.tagged(Telemetry.storeAvailable, "store", "test")),
  ({ value }) => value
)

/** How long an effect takes while time passes. */
const slowStore = <A>(effect: Effect.Effect<A>) =>
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
  it.effect("asks a store that is there, each time", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      expect(yield* region(ask)).toBe("shared")
      expect(yield* region(ask)).toBe("shared")
      expect([store.asked, store.pings]).toEqual([2, 0])
    }))

  it.effect("waits 100 milliseconds for one that is silent, once; then nobody waits and nobody asks", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      store.state = "silent"
      expect(yield* slowStore(region(ask))).toEqual(["own", 100])
      expect(yield* slowStore(region(ask))).toEqual(["own", 0])
      expect(store.asked).toBe(1)
    }))

  it.effect("does not wait at all where the store says that it fails", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      store.state = "failing"
      expect(yield* region(ask)).toBe("own")
      store.state = "there"
      expect(yield* region(ask)).toBe("own")
      expect(store.asked).toBe(1)
    }))

  it.effect("looks after it twice a second, and uses it again as soon as it answers", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      store.state = "failing"
      yield* region(ask)
      expect(yield* gauge).toBe(0)
      yield* TestClock.adjust(499)
      expect(store.pings).toBe(0)
      yield* TestClock.adjust(1)
      expect(store.pings).toBe(1)
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(11)
      expect(yield* region(ask)).toBe("own")
      store.state = "there"
      yield* TestClock.adjust(500)
      expect(yield* gauge).toBe(1)
      expect(yield* region(ask)).toBe("shared")
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(12)
    }))

  it.effect("goes on looking where the store is silent, 100 milliseconds at a time", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      store.state = "silent"
      yield* slowStore(region(ask))
      yield* TestClock.adjust(6000)
      expect(store.pings).toBe(10)
    }))

  it.effect("is lost once however many learn of it, and looks after the store once", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      const recorder = TelemetryRecorder.make()
      store.state = "silent"
      const fibers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.fork(recorder.record(region(ask)))
      )
      yield* TestClock.adjust(100)
      expect(yield* Fiber.join(Fiber.all(fibers))).toEqual(Array.from({ length: 20 }, () => "own"))
      expect(store.asked).toBe(20)
      store.state = "failing"
      yield* TestClock.adjust(500)
      expect(store.pings).toBe(1)
      store.state = "there"
      yield* TestClock.adjust(500)
      expect(store.pings).toBe(2)
      expect(recorder.logs.map(({ text }) => /store is (away|back)/.exec(text)?.[0])).toEqual([
        "store is away",
        "store is back"
      ])
    }))

  it.effect("can be lost again, and comes back again", () =>
    Effect.gen(function*() {
      const { ask, store } = yield* guardedStore
      for (let times = 0; times < 3; times += 1) {
        store.state = "failing"
        expect(yield* region(ask)).toBe("own")
        store.state = "there"
        yield* TestClock.adjust(500)
        expect(yield* region(ask)).toBe("shared")
      }
      expect(store.pings).toBe(3)
    }))

  it.effect("ends with its scope, though the store never comes back", () =>
    Effect.gen(function*() {
      const { ask, scope, store } = yield* guardedStore
      store.state = "silent"
      yield* slowStore(region(ask))
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(10)
      expect((yield* Fiber.poll(closing))._tag).toBe("Some")
      const { pings } = store
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(pings)
    }))
})

it.effect("of a group is lost with the others: who has waited for one does not wait for another", () =>
  Effect.scoped(Effect.gen(function*() {
    const group = yield* StoreGroup.make
    const one = yield* Guard.make("one", Effect.never, group)
    const other = yield* Guard.make("other", Effect.void, group)
    const requests = yield* Effect.fork(one.run(Effect.never, Effect.succeed("own")))
    expect(yield* other.run(Effect.succeed("shared"), Effect.succeed("own"))).toBe("shared")
    yield* TestClock.adjust(100)
    expect(yield* Fiber.join(requests)).toBe("own")
    expect(yield* other.run(Effect.dieMessage("nobody asks"), Effect.succeed("own"))).toBe("own")
    // Each comes back by itself
    yield* TestClock.adjust(500)
    expect(yield* other.run(Effect.succeed("shared"), Effect.succeed("own"))).toBe("shared")
    expect(yield* one.run(Effect.dieMessage("nobody asks"), Effect.succeed("own"))).toBe("own")
  })))

it.live("does not take a busy moment of its own process for the store's silence", () =>
  Effect.scoped(Effect.gen(function*() {
    const guard = yield* Guard.make("test", Effect.void)
    // Read while this process is busy, as the answer of a store that is quick
    const ask = Effect.async<string>((resume) => {
      readFile(import.meta.filename, () => resume(Effect.succeed("shared")))
      const until = performance.now() + 150
      while (performance.now() < until);
    })
    expect(yield* guard.run(ask, Effect.succeed("own"))).toBe("shared")
  })))
