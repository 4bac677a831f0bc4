/** Tests the guard of a remote store: the fallback, pings, and the return to the store. */
import * as StoreError from "@blockquarry/http/StoreError"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as AvailabilityGuard from "../../../src/internal/stores/AvailabilityGuard.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"

const storeError = new StoreError.StoreError({ reason: "refused" })

/** A guarded store that the test can make unavailable, with counters of its commands and pings. */
const guardedStore = (name = "test") =>
  Effect.gen(function*() {
    const store = { available: true, commands: 0, pings: 0 }
    const reply = Effect.suspend(() => store.available ? Effect.void : Effect.fail(storeError))
    const scope = yield* Scope.make()
    const guard = yield* Scope.extend(
      AvailabilityGuard.make(
        name,
        Effect.suspend(() => {
          store.pings += 1
          return reply
        })
      ),
      scope
    )
    /** Returns the reply, or why there is none. */
    const run = Effect.merge(Effect.mapError(
      guard.run(Effect.suspend(() => {
        store.commands += 1
        return Effect.as(reply, "remote")
      })),
      ({ reason }) => reason
    ))
    return { guard, run, scope, store }
  })

const gauge = Effect.map(
  Metric.value(Metric.tagged(Telemetry.storeAvailable, "store", "test")),
  ({ value }) => value
)

describe("a guard", () => {
  it.effect("waits for a slow command, and does not take it for an outage", () =>
    Effect.gen(function*() {
      const { guard, run } = yield* guardedStore()
      const reply = yield* Deferred.make<string>()
      const slow = yield* Effect.fork(guard.run(Deferred.await(reply)))
      yield* TestClock.adjust("1 minute")
      expect(yield* run).toBe("remote")
      yield* Deferred.succeed(reply, "late")
      expect(yield* Fiber.join(slow)).toBe("late")
    }))

  it.effect("pings an unavailable store twice a second, and sends no command until the first success", () =>
    Effect.gen(function*() {
      const { run, store } = yield* guardedStore()
      expect(yield* gauge).toBe(1)
      store.available = false
      yield* run
      expect(yield* gauge).toBe(0)
      yield* TestClock.adjust(499)
      expect(store.pings).toBe(1)
      yield* TestClock.adjust(1)
      expect(store.pings).toBe(2)
      yield* TestClock.adjust(5000)
      expect(store.pings).toBe(12)
      store.available = true
      expect([yield* run, store.commands]).toEqual(["refused", 1])
      yield* TestClock.adjust(500)
      expect(yield* gauge).toBe(1)
      expect(yield* run).toBe("remote")
      expect(store.pings).toBe(13)
    }))
})

it.effect("logs what to change as an error, once per change, and measures it until the store is available", () =>
  Effect.gen(function*() {
    const misconfigured = (reason: string) => new StoreError.StoreError({ reason, fix: `correct ${reason}` })
    const store: { reply: Effect.Effect<void, StoreError.StoreError> } = { reply: Effect.void }
    const replies = [
      ...[storeError, misconfigured("NOAUTH"), storeError, misconfigured("NOPERM")].map((error) =>
        Effect.fail(error)
      ),
      Effect.void
    ]
    const recorder = TelemetryRecorder.make()
    const measured: Array<number> = []
    yield* recorder.record(Effect.scoped(Effect.gen(function*() {
      yield* AvailabilityGuard.make("test", Effect.suspend(() => store.reply))
      for (const reply of replies) {
        store.reply = reply
        yield* TestClock.adjust("6 seconds")
        const gauge = Metric.tagged(Telemetry.storeMisconfigured, "store", "test")
        measured.push((yield* Metric.value(gauge)).value)
      }
    })))
    expect(recorder.logs.map(({ text }) => text)).toEqual([
      expect.stringContaining("the test store is unavailable (refused)"),
      expect.stringContaining("the test store is unavailable (NOAUTH): correct NOAUTH"),
      expect.stringContaining("the test store is unavailable (NOPERM): correct NOPERM"),
      expect.stringContaining("the test store is available again")
    ])
    expect(measured).toEqual([0, 1, 1, 1, 0])
  }))

it.effect("pings an available store at the start and every 5 s, and notices an outage without commands", () =>
  Effect.gen(function*() {
    const { guard, store } = yield* guardedStore()
    yield* TestClock.adjust(4999)
    expect(store.pings).toBe(1)
    store.available = false
    yield* TestClock.adjust(1)
    expect([store.pings, guard.isAvailable(), store.commands]).toEqual([2, false, 0])
  }))

it.scoped("keeps pinging after a defect, which it logs once, and uses the store again", () =>
  Effect.gen(function*() {
    const recorder = TelemetryRecorder.make()
    let isBroken = false
    const guard = yield* recorder.record(
      AvailabilityGuard.make(
        "test",
        Effect.suspend(() => isBroken ? Effect.dieMessage("no such command") : Effect.void)
      )
    )
    isBroken = true
    yield* TestClock.adjust("10 seconds")
    expect(guard.isAvailable()).toBe(false)
    expect(recorder.logs.map(({ text }) => text)).toEqual([
      expect.stringMatching(/WARN[^]*its ping failed unexpectedly: .*no such command/)
    ])
    isBroken = false
    yield* TestClock.adjust(500)
    expect(guard.isAvailable()).toBe(true)
    expect(yield* guard.run(Effect.succeed("remote"))).toBe("remote")
  }))

it.effect("stops pinging when its scope closes", () =>
  Effect.gen(function*() {
    const { run, scope, store } = yield* guardedStore()
    store.available = false
    yield* Effect.uninterruptible(run)
    yield* Scope.close(scope, Exit.void)
    const { pings } = store
    yield* TestClock.adjust(5000)
    expect(store.pings).toBe(pings)
  }))
