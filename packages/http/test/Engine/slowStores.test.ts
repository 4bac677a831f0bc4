/** Tests calls whose shared stores reply slowly. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { tokenPrice } from "../support/Examples.ts"
import { minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

const slowStores = (
  whenUnavailable: RateLimitStore.WhenUnavailable,
  replyMillis: number,
  backend: Partial<RateLimitStore.RemoteRateLimitBackend> = {}
) =>
  Effect.gen(function*() {
    const memory = yield* RateLimitStore.memory
    const slowly = Effect.delay(replyMillis)
    const limits = yield* RateLimitStore.withFallback({
      acquire: (...args) => slowly(memory.acquire(...args)),
      release: (...args) => slowly(memory.release(...args)),
      startCooldown: (...args) => slowly(memory.startCooldown(...args)),
      settleTrial: (...args) => slowly(memory.settleTrial(...args)),
      consume: (...args) => slowly(memory.consume(...args)),
      refund: (...args) => slowly(memory.refund(...args)),
      peek: (...args) => slowly(memory.peek(...args)),
      heartbeat: Effect.succeed(1),
      ...backend
    }, { whenUnavailable })
    const cache = yield* CacheStore.tiered({
      get: () => slowly(Effect.succeed(null)),
      getVersion: () => slowly(Effect.succeed(null)),
      set: () => slowly(Effect.void),
      setVersion: () => slowly(Effect.void),
      nextVersion: (after) => slowly(Effect.succeed(after + 1)),
      remove: () => slowly(Effect.void),
      clear: slowly(Effect.void),
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

  it.scoped("has three quarters of its time for its request, and later calls have all", () =>
    Effect.gen(function*() {
      const { cache, limits } = yield* slowStores("share", 300)
      const reply = ScriptedClient.delayed(700, ScriptedClient.json(tokenPrice.document))
      const harness = yield* TestClients.harness(() => reply, { ...options, cache: undefined }).pipe(
        Effect.provideService(CacheStore.CacheStore, cache),
        Effect.provideService(RateLimitStore.RateLimitStore, limits)
      )
      for (const duration of [1000, 710, 710]) {
        const call = yield* Effect.fork(Effect.either(tokenPrice.call(harness)))
        yield* TestClock.adjust(duration)
        expect(call.unsafePoll()).not.toBeNull()
        expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Right" })
      }
    }))

  it.scoped("gives nothing back that the stores denied", () =>
    Effect.gen(function*() {
      const denied = { _tag: "Delayed", millis: 1, reason: "rate_limit", remaining: 0 } as const
      const returned = Array.of<string>()
      const { cache, limits } = yield* slowStores("share", 800, {
        acquire: () => Effect.delay(Effect.succeed(denied), 800),
        consume: () => Effect.delay(Effect.succeed({ _tag: "QuotaExceeded", remaining: 0, millis: 1 }), 800),
        release: () => Effect.sync(() => returned.push("permit")),
        refund: () => Effect.sync(() => returned.push("quota"))
      })
      const disconnect = ScriptedClient.Disconnect({ code: "ECONNREFUSED" })
      const harness = yield* TestClients.harness(() => disconnect, options).pipe(
        Effect.provideService(CacheStore.CacheStore, cache),
        Effect.provideService(RateLimitStore.RateLimitStore, limits)
      )
      yield* Effect.fork(Effect.either(tokenPrice.call(harness)))
      yield* TestClock.adjust(5000)
      expect([harness.requests.length > 0, returned]).toEqual([true, []])
    }))
})
