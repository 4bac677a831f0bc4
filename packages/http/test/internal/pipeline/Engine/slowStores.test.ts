/** Tests calls whose shared stores reply slowly. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { tokenPrice } from "../../../support/Examples.ts"
import { minimalOptions } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

/** Stores whose replies take 800 ms. */
const slowStores = (whenUnavailable: RateLimitStore.WhenUnavailable) =>
  Effect.gen(function*() {
    const memory = yield* RateLimitStore.memory
    const slowly = Effect.delay("800 millis")
    const limits = yield* RateLimitStore.withFallback({
      acquire: (...args) => slowly(memory.acquire(...args)),
      release: (...args) => slowly(memory.release(...args)),
      startCooldown: (...args) => slowly(memory.startCooldown(...args)),
      settleProbe: (...args) => slowly(memory.settleProbe(...args)),
      consume: (...args) => slowly(memory.consume(...args)),
      refund: (...args) => slowly(memory.refund(...args)),
      peek: (...args) => slowly(memory.peek(...args)),
      heartbeat: Effect.succeed(1)
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
  ["share", ScriptedClient.json(tokenPrice.document), { _tag: "Right" }],
  ["open", ScriptedClient.json(tokenPrice.document), { _tag: "Right" }],
  ["closed", ScriptedClient.json(tokenPrice.document), {
    _tag: "Left",
    left: { _tag: "LocalLimitError", limit: "unavailable" }
  }],
  // Its units are given back
  ["share", ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), {
    _tag: "Left",
    left: { _tag: "NetworkError" }
  }]
] as const

describe("a call of at most 1 s, with stores that reply after 800 ms,", () => {
  it.scoped.each(cases)(
    "ends within 1.1 s if they are %s",
    ([whenUnavailable, reply, expected]) =>
      Effect.gen(function*() {
        const { cache, limits } = yield* slowStores(whenUnavailable)
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
})
