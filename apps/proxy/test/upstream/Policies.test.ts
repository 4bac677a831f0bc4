/** The policies of the configuration, as the engine applies them. */
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as CallClient from "@blockquarry/http/CallClient"
import * as Engine from "@blockquarry/http/Engine"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { defaults } from "../../src/config/Config.ts"
import * as RequestContext from "../../src/exchange/RequestContext.ts"
import * as ResponseMemory from "../../src/quota/ResponseMemory.ts"
import * as UpstreamClient from "../../src/upstream/UpstreamClient.ts"
import { examples, sendRequest, start, testConfig, upstreamsWith } from "../support/proxy.ts"
import { staticUpstream, upstreamOf } from "../support/staticUpstream.ts"

const caller: UpstreamClient.Caller = {
  client: CallClient.none,
  memory: ResponseMemory.make().memoryOf("", defaults),
  context: RequestContext.make(0, "test", "GET", ""),
  onSent: () => {}
}

const price = `/api/v2.2/erc20/${examples.token}/price?chain=eth`

describe("the default policies", () => {
  it.scoped.each<readonly [string, HttpClient.HttpClient, string | number]>([
    ["a hanging upstream", HttpClient.make(() => Effect.never), "upstream-timeout"],
    ["an upstream that hangs after a failure", failThenHang(), "upstream-timeout"],
    ["a permanent 429", staticUpstream(429, "{}"), 429],
    ["a permanent 429 with Retry-After", staticUpstream(429, "{}", { "retry-after": "8" }), 429],
    ["a permanent 503", staticUpstream(503, "{}"), 503]
  ])(
    "end a request to %s within 25 s, with the wait for the quota of its client",
    ([, httpClient, expected]) =>
      Effect.gen(function*() {
        const upstream = yield* Effect.provide(
          UpstreamClient.make(defaults),
          yield* Layer.build(Layer.merge(Engine.layer, upstreamsWith(httpClient)))
        )
        const input = yield* decodeInput(tokenPrice, { address: examples.token })
        const call = upstream.execute(
          {
            operation: tokenPrice,
            route: tokenPrice.path,
            upstreamName: "data",
            input,
            request: encodeRequest(tokenPrice, input)
          },
          "default",
          caller
        )
        const fiber = yield* Effect.fork(Effect.either(call))
        yield* TestClock.adjust(Duration.subtract("25 seconds", defaults.quotas.maxWait))
        const result = yield* Effect.flatMap(Fiber.poll(fiber), Effect.flatten)
        expect(
          Either.match(result, {
            onLeft: ({ code }): unknown => code,
            onRight: ({ response }) => response.status
          })
        ).toBe(expected)
      })
  )
})

describe("a reload", () => {
  it.scopedLive("applies the policy of the circuit breaker", () =>
    Effect.gen(function*() {
      const upstream = { ...defaults.upstream, retry: { ...defaults.upstream.retry, attempts: 1 } }
      const config = { ...testConfig(), upstream }
      const proxy = yield* start({ httpClient: staticUpstream(500, "{}"), config })
      const status = Effect.map(sendRequest(proxy.port, price), (response) => response.status)
      expect([yield* status, yield* status]).toEqual([500, 500])
      yield* proxy.reload({
        ...config,
        upstream: { ...upstream, circuitBreaker: { ...upstream.circuitBreaker, minimum: 3 } }
      })
      expect([yield* status, yield* status]).toEqual([500, 503])
    }))

  it.scopedLive("applies the number of attempts", () =>
    Effect.gen(function*() {
      const requests = { count: 0 }
      const httpClient = upstreamOf(() => {
        requests.count += 1
        return new Response("{}", { status: 500 })
      })
      const config = testConfig()
      const retry = { attempts: 1, baseDelay: Duration.zero, maxDelay: Duration.zero }
      const proxy = yield* start({
        httpClient,
        config: { ...config, upstream: { ...config.upstream, retry } }
      })
      yield* sendRequest(proxy.port, price)
      expect(requests.count).toBe(1)
      yield* proxy.reload({ ...config, upstream: { ...config.upstream, retry: { ...retry, attempts: 3 } } })
      yield* sendRequest(proxy.port, price)
      expect(requests.count).toBe(4)
    }))
})

/** Fails the first request with 500, and then hangs. */
function failThenHang(): HttpClient.HttpClient {
  const failing = staticUpstream(500, "{}")
  const requests = { count: 0 }
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      requests.count += 1
      return requests.count === 1 ? failing.execute(request) : Effect.never
    })
  )
}
