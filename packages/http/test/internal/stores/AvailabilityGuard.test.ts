/** Tests the guard of a remote store: the fallback, pings, and the return to the store. */
import * as StoreError from "@blockquarry/http/gateway/StoreError"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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
