/** Tests calls whose shared stores reply slowly. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { tokenPrice } from "../../support/Examples.ts"
import { minimalOptions } from "../../support/PriceCalls.ts"
import { withBackend } from "../../support/RemoteRateLimits.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { whileTimePasses } from "../../support/TestTime.ts"

const slowStores = (whenUnavailable: RateLimitStore.WhenUnavailable, replyMillis: number) =>
  Effect.gen(function*() {
    const slowly = Effect.delay(replyMillis)
    const { state, store: limits } = yield* withBackend(1, whenUnavailable)
    state.replyMillis = replyMillis
    const cache = yield* CacheStore.tiered({
      get: () => slowly(Effect.succeed(null)),
      set: () => slowly(Effect.void),
      nextVersion: (after) => slowly(Effect.succeed(after + 1)),
      remove: () => slowly(Effect.void),
      clear: slowly(Effect.void),
      watchRemovals: () => Effect.void,
      ping: Effect.void
    })
    return { cache, limits }
  })

const options = {
  ...minimalOptions,
  cache: ResponseCache.standard,
  rateLimit: { ...RateLimit.make({ limit: 100, window: "1 second" }), dailyQuota: 1000 },
  timeouts: { attempt: "1 second", call: "1 second" }
} as const

const cases = [
  ["share", 800, ScriptedClient.json(tokenPrice.document), { _tag: "Right" }],
  ["open", 800, ScriptedClient.json(tokenPrice.document), { _tag: "Right" }],
  ["closed", 800, ScriptedClient.json(tokenPrice.document), {
    _tag: "Left",
    left: { _tag: "LocalLimitError", limit: "unavailable" }
  }],
  // The permit comes in time, the daily quota does not, and the permit is given back
  ["closed", 700, ScriptedClient.json(tokenPrice.document), { _tag: "Left" }],
  // Its units are given back
  ["share", 800, ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), {
    _tag: "Left",
    left: { _tag: "NetworkError" }
  }]
] as const

describe("a call of at most 1 s, with slow stores,", () => {
  it.scoped.each(cases)(
    "ends within 1.1 s if they are %s and reply after %s ms",
    ([whenUnavailable, replyMillis, reply, expected]) =>
      Effect.gen(function*() {
        const { cache, limits } = yield* slowStores(whenUnavailable, replyMillis)
        const harness = yield* TestClients.harness(() => reply, options).pipe(
          Effect.provideService(CacheStore.CacheStore, cache),
          Effect.provideService(RateLimitStore.RateLimitStore, limits)
        )
        const call = yield* Effect.fork(Effect.either(tokenPrice.call(harness)))
        yield* TestClock.adjust(1100)
        expect(call.unsafePoll()).not.toBeNull()
        expect(yield* Fiber.join(call)).toMatchObject(expected)
      })
  )

  it.effect("is not sent, and costs nothing, if the store of the cache issues no version", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const harness = yield* Effect.provideService(
        TestClients.harness([], options),
        CacheStore.CacheStore,
        { ...store, nextVersion: Effect.never }
      )
      const call = CallUsage.withUsage(Effect.flip(tokenPrice.call(harness)))
      expect(yield* whileTimePasses(call)).toMatchObject([{ _tag: "TimeoutError" }, { attempts: 0, cost: 0 }])
    }))
})
