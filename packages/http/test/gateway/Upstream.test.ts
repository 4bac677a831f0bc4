/** Where requests are sent. */
import * as ApiOptions from "@blockquarry/http/ApiOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Upstream from "../../src/gateway/Upstream.ts"
import { DispatchTransport } from "../../src/internal/transport/Transport.ts"
import { tokenPrice } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

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
      const rateLimit = { limit: 25, window: "1 second", cost: { tokenPrice: 1 } } as const
      const partial = {
        cache: { staleIfError: "1 hour", negative: {} },
        timeouts: { call: Duration.minutes(2), attempt: undefined },
        retry: { attempts: 3, baseDelay: { throttled: "3 seconds" }, budget: { refill: 1 } },
        breaker: { minimum: 5 },
        concurrency: { maxQueue: 9 }
      } as const
      const policies = yield* policiesOf({ ...partial, rateLimit })
      expect(policies).toEqual({
        cache: { ...ResponseCache.standard, staleIfError: "1 hour" },
        timeouts: { ...Timeouts.standard, call: Duration.minutes(2) },
        retry: {
          ...RetryPolicy.standard,
          attempts: 3,
          baseDelay: { ...RetryPolicy.standard.baseDelay, throttled: "3 seconds" },
          budget: { ...RetryPolicy.standard.budget, refill: 1 }
        },
        rateLimit: { ...RateLimit.standard, ...rateLimit, burst: 25 },
        breaker: { ...CircuitBreaker.standard, minimum: 5 },
        concurrency: { ...ConcurrencyLimit.standard, maxQueue: 9 }
      })
      const labeled = yield* policiesOf({ apiKey: [{ label: "a", key: apiKey, rateLimit }] })
      expect(labeled.rateLimit).toEqual(RateLimit.make(rateLimit))
    }))
})

const replying = ScriptedClient.make(() => ScriptedClient.respond(404))

it.effect.each(
  [
    ["the transport of the layer that provides the HttpClient", replying.client, 1],
    ["another HttpClient that is provided over that layer", ScriptedClient.make([]).client, 0]
  ] as const
)(
  "requests are sent by %s",
  ([, ofLayer, byTransport]) =>
    Effect.gen(function*() {
      let sent = 0
      const send = () =>
        Effect.sync(() => {
          sent += 1
          return { status: 404, headers: {}, bytes: new Uint8Array(), framed: true }
        })
      replying.requests.length = 0
      const clients = yield* TestClients.clientsOver(replying.client, {}).pipe(
        Effect.provideService(DispatchTransport, { client: ofLayer, make: () => ({ send }) })
      )
      yield* failureOf(tokenPrice.call(clients))
      expect([sent, replying.requests.length]).toEqual([byTransport, 1 - byTransport])
    })
)
