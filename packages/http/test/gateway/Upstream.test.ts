/** The policies of an upstream. The tests of transports show which one sends its requests. */
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Upstream from "../../src/gateway/Upstream.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"

describe("policies", () => {
  const baseUrl = "https://host.test"
  const apiKey = Redacted.make("one")
  const policiesOf = (options: Partial<ApiOptions.ApiOptions>) =>
    Upstream.make("data", { apiKey, baseUrl, ...options }).pipe(
      Effect.map(({ keyPool, policies }) => ({ ...policies, rateLimit: keyPool.keys[0].rateLimit })),
      Effect.provideService(HttpClient.HttpClient, ScriptedClient.make([]).client)
    )

  it.effect("are those of the defaults if they are omitted", () =>
    Effect.gen(function*() {
      expect(yield* policiesOf({})).toEqual(ApiOptions.defaults)
    }))

  it.effect("may be given in part", () =>
    Effect.gen(function*() {
      const retry = { attempts: 3, baseDelay: { throttled: "3 seconds" }, budget: { refill: 1 } } as const
      const rateLimit = { limit: 25, window: "1 second", cost: { tokenPrice: 1 } } as const
      const { standard } = RetryPolicy
      expect(yield* policiesOf({ retry, rateLimit, timeouts: { attempt: undefined } })).toEqual({
        ...ApiOptions.defaults,
        retry: {
          ...standard,
          attempts: 3,
          baseDelay: { ...standard.baseDelay, throttled: "3 seconds" },
          budget: { ...standard.budget, refill: 1 }
        },
        rateLimit: { ...RateLimit.standard, ...rateLimit, burst: 25 }
      })
      const labeled = yield* policiesOf({ apiKey: [{ label: "a", key: apiKey, rateLimit }] })
      expect(labeled.rateLimit).toEqual(RateLimit.make(rateLimit))
    }))
})
