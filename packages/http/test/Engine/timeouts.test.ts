/** Tests timeouts of attempts while the cache store issues a version. The timelines show other timeouts. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as Timeouts from "@blockquarry/http/Timeouts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeClock } from "../faults/support/CustomClock.ts"
import { cachingOptions } from "../support/CacheFixtures.ts"
import { tokenPrice } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import * as TestClients from "../support/TestClients.ts"
import { whileTimePasses } from "../support/TestTime.ts"

describe("an attempt", () => {
  it.effect("times out also while the cache store issues its version: then nothing is sent, counted or charged", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const harness = yield* TestClients.harness([], {
        ...cachingOptions,
        timeouts: Timeouts.standard,
        breaker: { minimum: 1 }
      }).pipe(
        Effect.provideService(CacheStore.CacheStore, { ...store, nextVersion: Effect.never })
      )
      for (const _ of ["first", "second"]) {
        const call = CallUsage.withUsage(Effect.either(tokenPrice.call(harness)))
        const [result, usage] = yield* whileTimePasses(call, "10 seconds")
        expect(result).toMatchObject({ left: { _tag: "TimeoutError", scope: "attempt" } })
        expect(usage).toMatchObject({ attempts: 0, cost: 0 })
      }
    }))

  it.effect("sends nothing if the cache store issues its version at the last moment", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      let now = 0
      // Its timers never fire, so the version arrives.
      const clock = makeClock(() => now, () => () => {})
      const nextVersion = Effect.sync(() => (now = 10_000, 1))
      const harness = yield* TestClients.harness([], { ...cachingOptions, timeouts: Timeouts.standard }).pipe(
        Effect.provideService(CacheStore.CacheStore, { ...store, nextVersion })
      )
      const call = failureOf(tokenPrice.call(harness)).pipe(Effect.withClock(clock))
      expect(yield* call).toMatchObject({ _tag: "TimeoutError", scope: "attempt" })
      expect(harness.requests).toHaveLength(0)
    }))
})
