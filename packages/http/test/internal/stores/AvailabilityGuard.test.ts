/** Tests the pings of a guard. What stores do during an outage is tested with each of them, and log lines and metrics in the proxy. */
import * as StoreError from "@blockquarry/http/gateway/StoreError"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as AvailabilityGuard from "../../../src/internal/stores/AvailabilityGuard.ts"

it.effect("a guard pings an unavailable store twice a second until it answers, also after defects, and within its scope", () =>
  Effect.gen(function*() {
    let pings = 0
    let reply: Effect.Effect<void, StoreError.StoreError> = new StoreError.StoreError({ reason: "refused" })
    const ping = Effect.suspend(() => {
      pings += 1
      return reply
    })
    const scope = yield* Scope.make()
    const guard = yield* Scope.extend(AvailabilityGuard.make("test", ping), scope)
    yield* Effect.either(guard.run(reply))
    reply = Effect.dieMessage("no such command")
    yield* TestClock.adjust(5500)
    expect([pings, guard.isAvailable()]).toEqual([12, false])
    reply = Effect.void
    yield* TestClock.adjust(500)
    expect([pings, guard.isAvailable()]).toEqual([13, true])
    yield* Scope.close(scope, Exit.void)
    yield* TestClock.adjust(5000)
    expect(pings).toBe(13)
  }))
