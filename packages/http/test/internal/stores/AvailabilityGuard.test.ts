/** Tests the guard of a remote store: the fallback, pings, and the return to the store. */
import * as StoreError from "@blockquarry/http/gateway/StoreError"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as AvailabilityGuard from "../../../src/internal/stores/AvailabilityGuard.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"

const gauge = Effect.map(
  Metric.value(Metric.tagged(Telemetry.storeAvailable, "store", "test")),
  ({ value }) => value
)

it.effect("a guard pings an unavailable store twice a second, and sends no command until the first success", () =>
  Effect.gen(function*() {
    const recorder = TelemetryRecorder.make()
    const store = { state: "available", commands: 0, pings: 0 }
    const reply = Effect.suspend(() =>
      store.state === "available"
        ? Effect.void
        : store.state === "unavailable"
        ? Effect.fail(new StoreError.StoreError({ reason: "refused" }))
        : Effect.dieMessage("no such command")
    )
    const ping = Effect.suspend(() => {
      store.pings += 1
      return reply
    })
    const scope = yield* Scope.make()
    const guard = yield* recorder.record(Scope.extend(AvailabilityGuard.make("test", ping), scope))
    const run = recorder.record(Effect.either(guard.run(Effect.suspend(() => {
      store.commands += 1
      return reply
    }))))
    expect(yield* gauge).toBe(1)
    store.state = "unavailable"
    expect((yield* run)._tag).toBe("Left")
    expect(yield* gauge).toBe(0)
    yield* TestClock.adjust(499)
    expect(store.pings).toBe(1)
    yield* TestClock.adjust(1)
    expect(store.pings).toBe(2)
    // Defects too are only failures of a ping
    store.state = "broken"
    yield* TestClock.adjust(5000)
    expect(store.pings).toBe(12)
    store.state = "available"
    expect([(yield* run)._tag, store.commands, guard.isAvailable()]).toEqual(["Left", 1, false])
    yield* TestClock.adjust(500)
    expect(yield* gauge).toBe(1)
    expect([(yield* run)._tag, store.commands, store.pings]).toEqual(["Right", 2, 13])

    store.state = "broken"
    yield* TestClock.adjust(10_000)
    expect(recorder.logs.map(({ text }) => text)).toEqual([
      expect.stringMatching(/WARN.*is unavailable \(refused\)/),
      expect.stringMatching(/INFO.*is available again/),
      expect.stringMatching(/WARN[^]*its ping failed unexpectedly: .*no such command/)
    ])
    yield* Scope.close(scope, Exit.void)
    const { pings } = store
    yield* TestClock.adjust(5000)
    expect(store.pings).toBe(pings)
  }))
