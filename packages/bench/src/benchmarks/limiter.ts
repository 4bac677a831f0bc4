/** Acquisition of permits without waiting. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/RateLimiter"
import type { Benchmark } from "../Benchmark.ts"
import { effectSubject, syncSubject } from "../Subject.ts"

/** High enough that no permit has to wait. */
const limit = 1_000_000_000

const comparisons = Effect.gen(function*() {
  const store = yield* RateLimitStore.memory
  const rule = { limit, window: 1000, burst: limit }
  const bucket = yield* RateLimiter.make({ limit, interval: "1 second", algorithm: "token-bucket" })
  let [level, at] = [0, 0]
  return [{
    title: "acquire a permit",
    unit: "permit",
    records: 1,
    baseline: syncSubject("Date.now and a leaky bucket", () => {
      const now = Date.now()
      level = Math.max(0, level - (now - at)) + 1
      at = now
      return 1
    }),
    peers: [effectSubject("effect/RateLimiter", bucket(Effect.succeed(1)))],
    blockquarry: [
      effectSubject("RateLimitStore.memory", Effect.as(store.acquire("budget", rule, 1, 1000), 1))
    ]
  }] as const
})

export const limiter: Benchmark = { name: "limiter", comparisons }
